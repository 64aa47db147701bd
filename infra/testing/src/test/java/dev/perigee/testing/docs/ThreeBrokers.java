package dev.perigee.testing.docs;

import static java.util.Map.entry;

import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** A Kafka cluster as readers have it: three brokers, which know rights. Empty at first. */
final class ThreeBrokers implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int COUNT = 3;

    private final List<EmbeddedBroker> brokers = new ArrayList<>();

    /** Where clients and where brokers find a broker. */
    private record Node(int id, int port, int controller) {}

    /** Starts them and waits until they serve. */
    static ThreeBrokers start(Path data) throws IOException {
        var nodes = new ArrayList<Node>();
        for (int id = 1; id <= COUNT; id++) {
            nodes.add(new Node(id, FreePort.on(HOST), FreePort.on(HOST)));
        }
        var voters =
                nodes.stream()
                        .map(node -> "%d@%s:%d".formatted(node.id(), HOST, node.controller()))
                        .collect(Collectors.joining(","));
        var all = new ThreeBrokers();
        // Each waits for the others.
        try (var starts = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var starting =
                    nodes.stream()
                            .map(node -> starts.submit(() -> start(node, voters, data)))
                            .toList();
            for (var one : starting) {
                all.brokers.add(result(one));
            }
        }
        return all;
    }

    private static EmbeddedBroker start(Node node, String voters, Path data) throws IOException {
        var listener = "PLAINTEXT://%s:%d".formatted(HOST, node.port());
        return EmbeddedBroker.start(
                new HostPort(HOST, node.port()),
                data.resolve("broker-" + node.id()),
                Map.ofEntries(
                        entry("node.id", Integer.toString(node.id())),
                        entry("controller.quorum.voters", voters),
                        entry(
                                "listeners",
                                "%s,CONTROLLER://%s:%d"
                                        .formatted(listener, HOST, node.controller())),
                        entry("advertised.listeners", listener),
                        entry("default.replication.factor", "3"),
                        entry("offsets.topic.replication.factor", "3"),
                        entry(
                                "authorizer.class.name",
                                "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
                        entry("super.users", "User:ANONYMOUS")));
    }

    private static EmbeddedBroker result(Future<EmbeddedBroker> starting) throws IOException {
        try {
            return starting.get();
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    String bootstrap() {
        return brokers.stream().map(EmbeddedBroker::bootstrap).collect(Collectors.joining(","));
    }

    /** All at once: none waits for a leader that has gone. */
    @Override
    public void close() {
        try (var ends = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            brokers.forEach(broker -> ends.execute(broker::close));
        }
    }
}
