package dev.perigee.testing.fleet;

import dev.perigee.faults.FaultProxy;
import dev.perigee.local.port.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Kafka brokers as parts of a fleet, {@code broker-1} and so on, that can be stopped, killed,
 * frozen and started again where they were. The test's own clients reach them directly; each
 * gateway reaches them through a network of its own that fails to order. Used by one thread.
 */
public final class Brokers implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final Path data;
    private final BiFunction<String, List<String>, Part> starter;
    private final List<Node> nodes = new ArrayList<>();

    /**
     * One broker.
     *
     * @param networks by gateway
     */
    private record Node(int port, int controllerPort, List<Network> networks) {}

    /** A listener of a broker, which says that it is where the proxy is. */
    private record Network(int port, FaultProxy proxy) {}

    private Brokers(Path data, BiFunction<String, List<String>, Part> starter) {
        this.data = data;
        this.starter = starter;
    }

    /**
     * Starts so many brokers that are one cluster, and waits until they serve.
     *
     * @param gateways how many have networks of their own
     */
    static Brokers start(
            int brokers, int gateways, Path data, BiFunction<String, List<String>, Part> starter)
            throws IOException {
        var cluster = new Brokers(data, starter);
        for (int broker = 0; broker < brokers; broker++) {
            var networks = new ArrayList<Network>();
            for (int gateway = 0; gateway < gateways; gateway++) {
                int port = FreePort.on(HOST);
                networks.add(new Network(port, FaultProxy.to(port)));
            }
            cluster.nodes.add(
                    new Node(FreePort.on(HOST), FreePort.on(HOST), List.copyOf(networks)));
        }
        IntStream.rangeClosed(1, brokers)
                .mapToObj(cluster::start)
                .toList()
                .forEach(Part::awaitReady);
        return cluster;
    }

    /** Starts a broker again, where it was. */
    public Part start(int number) {
        var arguments = new ArrayList<String>(List.of("broker"));
        arguments.addAll(List.of("--set", "broker.listen=" + HOST + ":" + node(number).port()));
        arguments.addAll(List.of("--set", "broker.data=" + data(number)));
        kafka(number)
                .forEach(
                        (key, value) ->
                                arguments.addAll(
                                        List.of("--set", "broker.kafka." + key + "=" + value)));
        return starter.apply(name(number), arguments);
    }

    /** The name of a broker as a part. */
    public static String name(int number) {
        return "broker-" + number;
    }

    /** Where a broker keeps its topics. */
    public Path data(int number) {
        return data.resolve(name(number));
    }

    /** How many there are. */
    public int count() {
        return nodes.size();
    }

    /** Where clients connect whose network never fails. */
    String bootstrap() {
        return nodes.stream()
                .map(node -> HOST + ":" + node.port())
                .collect(Collectors.joining(","));
    }

    /** Where a gateway connects; one that has no network of its own does so directly. */
    String bootstrapOf(int gateway) {
        if (gateway > nodes.getFirst().networks().size()) {
            return bootstrap();
        }
        return network(gateway).stream()
                .map(proxy -> HOST + ":" + proxy.port())
                .collect(Collectors.joining(","));
    }

    /** The network between a gateway and the brokers, in the order of these. */
    public List<FaultProxy> network(int gateway) {
        return nodes.stream().map(node -> node.networks().get(gateway - 1).proxy()).toList();
    }

    /** The networks between all gateways and all brokers. */
    public List<FaultProxy> networks() {
        return nodes.stream()
                .flatMap(node -> node.networks().stream())
                .map(Network::proxy)
                .toList();
    }

    private Map<String, String> kafka(int number) {
        var listeners = new ArrayList<>(List.of("PLAINTEXT://" + HOST + ":" + node(number).port()));
        var advertised = new ArrayList<>(listeners);
        var protocols = new ArrayList<>(List.of("PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"));
        int gateway = 0;
        for (var network : node(number).networks()) {
            var name = "GATEWAY" + ++gateway;
            listeners.add(name + "://" + HOST + ":" + network.port());
            advertised.add(name + "://" + HOST + ":" + network.proxy().port());
            protocols.add(name + ":PLAINTEXT");
        }
        listeners.add("CONTROLLER://" + HOST + ":" + node(number).controllerPort());
        var kafka = new HashMap<String, String>();
        kafka.put("node.id", Integer.toString(number));
        kafka.put(
                "controller.quorum.voters",
                IntStream.rangeClosed(1, count())
                        .mapToObj(i -> i + "@" + HOST + ":" + node(i).controllerPort())
                        .collect(Collectors.joining(",")));
        kafka.put("listeners", String.join(",", listeners));
        kafka.put("advertised.listeners", String.join(",", advertised));
        kafka.put("listener.security.protocol.map", String.join(",", protocols));
        if (count() > 1) {
            replicated(kafka);
        }
        return new TreeMap<>(kafka);
    }

    /** As a cluster in production has it: what one broker has, two others have too. */
    private void replicated(Map<String, String> kafka) {
        var replicas = Integer.toString(count());
        var inSync = Integer.toString(count() - 1);
        kafka.put("default.replication.factor", replicas);
        kafka.put("min.insync.replicas", inSync);
        kafka.put("offsets.topic.replication.factor", replicas);
        kafka.put("transaction.state.log.replication.factor", replicas);
        kafka.put("transaction.state.log.min.isr", inSync);
    }

    private Node node(int number) {
        return nodes.get(number - 1);
    }

    @Override
    public void close() {
        networks().forEach(FaultProxy::close);
    }
}
