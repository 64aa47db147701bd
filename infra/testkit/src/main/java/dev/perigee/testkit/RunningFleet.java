package dev.perigee.testkit;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.cli.Perigee;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.JvmCommand;
import dev.perigee.local.fleet.LocalFleet;
import dev.perigee.local.fleet.PartFailedException;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
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

    private static final String PREFIX = "PERIGEE_";

    /** Of Perigee's variables: the others are of whoever runs the tests, and not of their fleet. */
    private static final Set<String> TAKEN =
            Set.of("PERIGEE_JAVA_OPTS", "PERIGEE_LOG_FORMAT", "PERIGEE_LOG_LEVEL");

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LocalFleet fleet;
    private final PartLogs logs;
    private final TeamHomes homes;
    private final KafkaConnection connection;
    private final Thread stopper;
    private @Nullable PerigeeClient client;
    private boolean closed;

    private RunningFleet(
            LocalFleet fleet,
            PartLogs logs,
            TeamHomes homes,
            KafkaConnection connection,
            Thread stopper) {
        this.fleet = fleet;
        this.logs = logs;
        this.homes = homes;
        this.connection = connection;
        this.stopper = stopper;
    }

    /**
     * Starts a fleet and returns when all parts serve; each has two minutes.
     *
     * @param cache the workers' cache directory
     * @throws FleetStartException when one does not, after all others have ended
     */
    static RunningFleet start(FleetPlan plan, Path cache) throws InterruptedException {
        var lastWords = "";
        try {
            var logs = PartLogs.create();
            var homes = TeamHomes.of(cache);
            var environment = taken(System.getenv());
            var flags = environment.getOrDefault("PERIGEE_JAVA_OPTS", "");
            var fleet =
                    new LocalFleet(
                            plan.withLogs(logs.directory()),
                            new JvmCommand(Perigee.class.getName(), flags),
                            _ -> {},
                            RunningFleet::trouble,
                            UnaryOperator.identity(),
                            environment);
            // A run that is stopped leaves no homes and topics behind either.
            var stopper = new Thread(() -> stop(fleet, homes), "stop-fleet");
            try {
                Runtime.getRuntime().addShutdownHook(stopper);
                var names = new TopicNames(plan.prefix());
                var connection = new KafkaConnection(fleet.start(), names, Map.of());
                return new RunningFleet(fleet, logs, homes, connection, stopper);
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                stop(fleet, homes, stopper);
                lastWords = logs.lastWords();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            throw failed("The fleet did not start", e, lastWords);
        }
    }

    private static FleetStartException failed(String what, Throwable cause, String lastWords) {
        return new FleetStartException(
                "%s: %s\n%s\n%s"
                        .formatted(
                                what,
                                cause instanceof PartFailedException ? cause.getMessage() : cause,
                                lastWords,
                                WHAT_TO_DO),
                cause);
    }

    /** The variables that parts may see. */
    static Map<String, String> taken(Map<String, String> environment) {
        return environment.entrySet().stream()
                .filter(
                        variable ->
                                !variable.getKey().startsWith(PREFIX)
                                        || TAKEN.contains(variable.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static void stop(LocalFleet fleet, TeamHomes homes, Thread stopper) {
        stop(fleet, homes);
        try {
            Runtime.getRuntime().removeShutdownHook(stopper);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook has found nothing to do.
        }
    }

    private static void stop(LocalFleet fleet, TeamHomes homes) {
        fleet.close();
        homes.delete();
    }

    private static void trouble(String message) {
        log.atWarn().addKeyValue("part", message).log("A part of the fleet has ended");
    }

    KafkaConnection connection() {
        return connection;
    }

    /** Team of its servers, which no other fleet has. */
    String team() {
        return homes.team();
    }

    /**
     * Returns when no part has ended by itself.
     *
     * @throws IllegalStateException otherwise, with the parts' last log lines
     */
    void requireParts() {
        var end = fleet.unaskedEnd();
        if (end != null) {
            throw new IllegalStateException(
                    "A part of the fleet has ended by itself: %s.\n%s".formatted(end, lastWords()));
        }
    }

    /** The end of what its parts have logged. */
    String lastWords() {
        return logs.lastWords();
    }

    /** One client for all tests; a new one when an outage has ended it. */
    synchronized PerigeeClient client() {
        if (closed) {
            throw new IllegalStateException("This fleet has ended");
        }
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
        var below = new Descendants(fleet.below(part));
        fleet.kill(part);
        below.awaitEnd(PATIENCE);
    }

    void startAgain(String part) throws IOException, InterruptedException {
        try {
            fleet.startAgain(part);
        } catch (PartFailedException e) {
            throw failed("The part did not start again", e, lastWords());
        }
    }

    /** Returns when no part is left. */
    @Override
    public void close() {
        try {
            synchronized (this) {
                closed = true;
                if (client != null) {
                    client.close();
                }
            }
        } finally {
            stop(fleet, homes, stopper);
        }
    }
}
