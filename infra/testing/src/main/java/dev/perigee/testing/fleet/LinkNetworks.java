package dev.perigee.testing.fleet;

import dev.perigee.faults.FaultProxy;
import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Addresses of a fleet's workers, and the networks on which gateways reach them: none that fails,
 * one for each worker, or one for each gateway and worker. Set up by one thread; read by any.
 */
final class LinkNetworks implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final List<HostPort> workers = new ArrayList<>();
    private final List<FaultProxy> ofWorkers = new ArrayList<>();
    private final Map<Integer, List<FaultProxy>> pairs = new TreeMap<>();

    /** Chooses other addresses for so many workers. */
    void chooseAddresses(int number) throws IOException {
        workers.clear();
        for (int i = 0; i < number; i++) {
            workers.add(new HostPort(HOST, FreePort.on(HOST)));
        }
    }

    /** All gateways reach a worker through one network. */
    void putBeforeWorkers() throws IOException {
        for (var worker : workers) {
            ofWorkers.add(FaultProxy.to(worker.port()));
        }
    }

    /** Each of so many gateways reaches a worker through a network of its own. */
    void putBetweenPairs(int gateways) throws IOException {
        for (int gateway = 1; gateway <= gateways; gateway++) {
            var links = new ArrayList<FaultProxy>();
            pairs.put(gateway, links);
            for (var worker : workers) {
                links.add(FaultProxy.to(worker.port()));
            }
        }
    }

    /** Where a worker listens, by its number. */
    HostPort worker(int number) {
        return workers.get(number - 1);
    }

    /** The network before a worker. */
    FaultProxy before(int worker) {
        return ofWorkers.get(worker - 1);
    }

    /** The network between a gateway and a worker. */
    FaultProxy between(int gateway, int worker) {
        return between(gateway).get(worker - 1);
    }

    private List<FaultProxy> between(int gateway) {
        return Objects.requireNonNull(pairs.get(gateway), "no such gateway");
    }

    /** The gateways that have networks of their own. */
    List<Integer> gateways() {
        return List.copyOf(pairs.keySet());
    }

    /** How many workers there are, spare ones too. */
    int count() {
        return workers.size();
    }

    /** Where a gateway reaches the workers, in their order. */
    IntStream ports(int gateway) {
        if (pairs.containsKey(gateway)) {
            return between(gateway).stream().mapToInt(FaultProxy::port);
        }
        return ofWorkers.isEmpty()
                ? workers.stream().mapToInt(HostPort::port)
                : ofWorkers.stream().mapToInt(FaultProxy::port);
    }

    @Override
    public void close() {
        ofWorkers.forEach(FaultProxy::close);
        pairs.values().forEach(links -> links.forEach(FaultProxy::close));
    }
}
