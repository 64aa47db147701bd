package dev.perigee.testkit;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.cli.Perigee;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.JvmCommand;
import dev.perigee.local.fleet.LocalFleet;
import dev.perigee.local.fleet.PartFailedException;
import dev.perigee.part.ReadyLine;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A fleet that serves, and a client of it. Any thread. */
final class RunningFleet implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunningFleet.class);

    private static final String WHAT_TO_DO =
            """
            What to do:
            * A class or method is missing: parts run on the class path of the tests, with the \
            versions there. Take those of Perigee for kafka-clients and Jackson; mvn \
            dependency:tree shows what others ask for. Parts need a class path, no module path.
            * A part was not ready in time: the machine is too busy. Run fewer test classes beside \
            each other, or share a fleet by @PerigeeTest.
            * A setting is refused: leave it out, or see docs/reference/configuration.md.""";

    private final LocalFleet fleet;
    private final PartLogs logs;
    private final Map<String, ReadyLine> ready;
    private final KafkaConnection connection;
    private final Thread stopper;
    private @Nullable PerigeeClient client;

    private RunningFleet(
            LocalFleet fleet,
            PartLogs logs,
            Map<String, ReadyLine> ready,
            KafkaConnection connection,
            Thread stopper) {
        this.fleet = fleet;
        this.logs = logs;
        this.ready = ready;
        this.connection = connection;
        this.stopper = stopper;
    }

    /**
     * Starts a fleet and returns when all parts serve; each has two minutes.
     *
     * @throws FleetStartException when one does not, after all others have ended
     */
    static RunningFleet start(FleetPlan plan) throws InterruptedException {
        var lastWords = "";
        try {
            var logs = PartLogs.create();
            var ready = new ConcurrentHashMap<String, ReadyLine>();
            var flags = System.getenv().getOrDefault("PERIGEE_JAVA_OPTS", "");
            var fleet =
                    new LocalFleet(
                            plan.withLogs(logs.directory()),
                            new JvmCommand(Perigee.class.getName(), flags),
                            line -> ready.put(line.name(), line),
                            RunningFleet::trouble);
            // A run that is stopped leaves no files behind either.
            var stopper = new Thread(fleet::close, "stop-fleet");
            Runtime.getRuntime().addShutdownHook(stopper);
            try {
                var names = new TopicNames(plan.prefix());
                var connection = new KafkaConnection(fleet.start(), names, Map.of());
                return new RunningFleet(fleet, logs, ready, connection, stopper);
            } catch (IOException | InterruptedException | RuntimeException e) {
                stop(fleet, stopper);
                lastWords = logs.lastWords();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            throw new FleetStartException(
                    "The fleet did not start: %s\n%s\n%s"
                            .formatted(
                                    e instanceof PartFailedException ? e.getMessage() : e,
                                    lastWords,
                                    WHAT_TO_DO),
                    e);
        }
    }

    private static void stop(LocalFleet fleet, Thread stopper) {
        fleet.close();
        try {
            Runtime.getRuntime().removeShutdownHook(stopper);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook has found nothing to do.
        }
    }

    private static void trouble(String message) {
        log.atWarn().addKeyValue("part", message).log("A part of the fleet has ended");
    }

    KafkaConnection connection() {
        return connection;
    }

    /** The end of what its parts have logged. */
    String lastWords() {
        return logs.lastWords();
    }

    /** One client for all tests; a new one when an outage has ended it. */
    synchronized PerigeeClient client() {
        if (client != null && !client.isOpen()) {
            client.close();
            client = null;
        }
        if (client == null) {
            client = PerigeeClient.connectWithEvents(connection);
        }
        return client;
    }

    /** Kills a part and all that runs below it, as the loss of its machine does. */
    void kill(String part) throws InterruptedException {
        var line = ready.get(part);
        var below =
                line == null
                        ? List.<ProcessHandle>of()
                        : ProcessHandle.of(line.pid()).stream()
                                .flatMap(ProcessHandle::descendants)
                                .toList();
        fleet.kill(part);
        below.forEach(ProcessHandle::destroyForcibly);
    }

    void startAgain(String part) throws IOException, InterruptedException {
        fleet.startAgain(part);
    }

    /** Returns when no part is left. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                if (client != null) {
                    client.close();
                }
            }
        } finally {
            stop(fleet, stopper);
        }
    }
}
