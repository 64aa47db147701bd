package dev.perigee.local.fleet;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.port.FreePort;
import dev.perigee.part.ReadyLine;
import dev.perigee.part.gateway.TopicSetup;
import dev.perigee.protocol.settings.SettingsReader;
import dev.perigee.protocol.settings.SettingsSchema;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A whole fleet of child JVMs on this machine: a broker, workers, gateways. Started in that order,
 * stopped in the reverse one, so that each part finds what it needs until its end. {@link #close}
 * may come from another thread, also while the fleet is starting; after it no process is left.
 */
public final class LocalFleet implements AutoCloseable {
    private static final int BROKER_HEAP = 256;
    private static final int MANY_PARTITIONS = 64;
    private static final int WORKER_HEAP = 256;
    private static final int GATEWAY_HEAP = 384;

    /** Where clients find Kafka. Parts are told by their settings, which these would override. */
    private static final Set<String> OF_CLIENTS =
            Set.of("PERIGEE_BOOTSTRAP", "PERIGEE_KAFKA_CONFIG");

    /** A worker gives its servers 10 s, those that must be killed and its last events some more. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For a broker that has just been started here, beside the other parts' starts. */
    private static final String FIRST_ANSWER_MS = Long.toString(Duration.ofMinutes(1).toMillis());

    private final FleetPlan plan;
    private final FleetDirectory directory;
    private final JvmCommand jvm;
    private final Consumer<ReadyLine> ready;
    private final Consumer<String> trouble;
    private final UnaryOperator<String> network;
    private final Map<String, String> environment;
    private final List<PartProcess> parts = new ArrayList<>();
    private boolean closed;

    /**
     * A fleet that is not started yet.
     *
     * @param ready hears each part's ready line, on the starting thread
     * @param trouble hears of parts that end by themselves or must be killed, on any thread
     */
    public LocalFleet(
            FleetPlan plan, JvmCommand jvm, Consumer<ReadyLine> ready, Consumer<String> trouble)
            throws IOException {
        this(plan, jvm, ready, trouble, UnaryOperator.identity(), System.getenv());
    }

    /**
     * A fleet with something between its gateways and workers.
     *
     * @param network gives for a worker's URL the one that gateways are told
     */
    public LocalFleet(
            FleetPlan plan,
            JvmCommand jvm,
            Consumer<ReadyLine> ready,
            Consumer<String> trouble,
            UnaryOperator<String> network)
            throws IOException {
        this(plan, jvm, ready, trouble, network, System.getenv());
    }

    /**
     * A fleet whose parts see some of this JVM's variables only.
     *
     * @param environment these, under the plan's; of Perigee's each part takes those it knows
     */
    public LocalFleet(
            FleetPlan plan,
            JvmCommand jvm,
            Consumer<ReadyLine> ready,
            Consumer<String> trouble,
            UnaryOperator<String> network,
            Map<String, String> environment)
            throws IOException {
        this.plan = plan;
        this.environment = Map.copyOf(environment);
        this.directory = FleetDirectory.create(plan.data());
        this.jvm = jvm;
        this.ready = ready;
        this.trouble = trouble;
        this.network = network;
    }

    /**
     * Starts all parts and returns the broker's address when all serve. After a failure the fleet
     * must be closed.
     *
     * @throws PartFailedException when a part did not become ready
     */
    public String start() throws IOException, InterruptedException {
        var brokers = plan.broker() == null ? List.of(launchBroker()) : List.<PartProcess>of();
        var workers = new ArrayList<PartProcess>();
        for (var number = 1; number <= plan.workers(); number++) {
            workers.add(launchWorker(number));
        }
        var bootstrap = plan.broker();
        for (var broker : brokers) {
            bootstrap = heard(broker).addresses().getOrDefault("kafka", "");
        }
        if (bootstrap == null) {
            throw new IllegalStateException("A fleet without a broker");
        }
        createTopics(bootstrap);
        var links = new ArrayList<String>();
        for (var worker : workers) {
            links.add(network.apply(heard(worker).addresses().getOrDefault("link", "")));
        }
        var gateways = new ArrayList<PartProcess>();
        for (var number = 1; number <= plan.gateways(); number++) {
            gateways.add(launchGateway(number, bootstrap, String.join(",", links)));
        }
        for (var gateway : gateways) {
            heard(gateway);
        }
        return bootstrap;
    }

    /** Whether any part runs. */
    public synchronized boolean isAlive() {
        return parts.stream().anyMatch(PartProcess::isAlive);
    }

    /** How the first part ended that was not asked to; null while no part has ended so. */
    public synchronized @Nullable String unaskedEnd() {
        for (var part : parts) {
            var end = part.unaskedEnd();
            if (end != null) {
                return end;
            }
        }
        return null;
    }

    /** All processes that run below a part now. */
    public List<ProcessHandle> below(String name) {
        return part(name).below();
    }

    /**
     * Kills a part: it has no chance to tidy up. Returns when it is gone.
     *
     * @throws IllegalStateException when it still runs after ten seconds
     */
    public void kill(String name) throws InterruptedException {
        part(name).kill();
    }

    /** Ends a part as {@link #close} does, and returns when it is gone. */
    public void end(String name) throws InterruptedException {
        var part = part(name);
        part.askToEnd();
        part.awaitEnd(PATIENCE);
    }

    /**
     * Starts a part that has ended once more, with its settings and at its addresses. After a
     * failure this may be tried again.
     *
     * @throws IllegalStateException when it runs
     * @throws PartFailedException when it does not become ready; it does not run then
     */
    public void startAgain(String name) throws IOException, InterruptedException {
        var again = replace(name);
        var serves = false;
        try {
            heard(again);
            serves = true;
        } finally {
            if (!serves) {
                again.kill();
            }
        }
    }

    private synchronized PartProcess replace(String name) throws IOException {
        var before = part(name);
        if (before.isAlive()) {
            throw new IllegalStateException(name + " runs: only what has ended is started again");
        }
        var spec = before.spec();
        // Of one that never served, they are those of the one before.
        var settings = new HashMap<>(spec.settings());
        before.addresses()
                .forEach(
                        (kind, address) -> {
                            switch (kind) {
                                case "kafka" -> settings.put("broker.listen", address);
                                case "link" ->
                                        settings.put(
                                                "link.listen", URI.create(address).getAuthority());
                                default -> {} // Nobody else has to find it again.
                            }
                        });
        var again = launch(spec.command(), name, spec.heapMebibytes(), settings);
        parts.remove(before);
        return again;
    }

    private synchronized PartProcess part(String name) {
        return parts.stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No part " + name));
    }

    private ReadyLine heard(PartProcess part) throws InterruptedException {
        var line = part.awaitReady();
        ready.accept(line);
        return line;
    }

    private void createTopics(String bootstrap) throws InterruptedException {
        var properties = new HashMap<>(plan.kafkaProperties());
        if (plan.broker() == null) {
            properties.putIfAbsent("default.api.timeout.ms", FIRST_ANSWER_MS);
            properties.putIfAbsent("request.timeout.ms", FIRST_ANSWER_MS);
        }
        var connection = new KafkaConnection(bootstrap, new TopicNames(plan.prefix()), properties);
        try (var setup = new TopicSetup(connection)) {
            var outcome = setup.apply(plan.partitions(), FleetPlan.DEFAULT_PARTITIONS, null, false);
            for (var difference : outcome.differences()) {
                trouble.accept(
                        "topic %s has %s %s, the contract wants %s"
                                .formatted(
                                        difference.topic(),
                                        difference.setting(),
                                        difference.found(),
                                        difference.wanted()));
            }
        }
    }

    private PartProcess launchBroker() throws IOException {
        var settings = new HashMap<String, String>();
        settings.put("broker.listen", "127.0.0.1:" + plan.kafkaPort());
        settings.put("broker.data", directory.topics().toString());
        return launch("broker", "broker", brokerHeap(), settings);
    }

    /** In MiB. Each of the fleet's topics has the partitions, and each costs the broker some. */
    private int brokerHeap() {
        var given = plan.partitions();
        int partitions = given == null ? FleetPlan.DEFAULT_PARTITIONS : given;
        return BROKER_HEAP + 2 * Math.max(0, partitions - MANY_PARTITIONS);
    }

    private PartProcess launchWorker(int number) throws IOException {
        var settings = new HashMap<String, String>();
        settings.put("worker.id", "worker-" + number + "-" + directory.fleetId());
        // It has the same address when it is started again, and the kernel must not hand that out.
        settings.put("link.listen", "127.0.0.1:" + FreePort.on("127.0.0.1"));
        settings.put("admin.listen", "127.0.0.1:0");
        settings.put("link.token-file", directory.token().toString());
        settings.putAll(plan.trust(environment).settings());
        return launch("worker", "worker-" + number, WORKER_HEAP, settings);
    }

    private PartProcess launchGateway(int number, String bootstrap, String workers)
            throws IOException {
        var settings = new HashMap<String, String>();
        settings.put("gateway.id", "gateway-" + number + "-" + directory.fleetId());
        settings.put("kafka.bootstrap.servers", bootstrap);
        settings.put("topics.prefix", plan.prefix());
        settings.put("workers", workers);
        settings.put("admin.listen", "127.0.0.1:0");
        settings.put("link.token-file", directory.token().toString());
        return launch("gateway", "gateway-" + number, GATEWAY_HEAP, settings);
    }

    private PartProcess launch(String command, String name, int heap, Map<String, String> settings)
            throws IOException {
        var schema = plan.schema(command);
        var variables = new HashMap<>(plan.environment());
        plan.settings()
                .forEach(
                        (key, value) -> {
                            if (schema.isSecret(key)) {
                                variables.put(SettingsSchema.variableOf(key), value);
                            } else if (schema.knows(key)) {
                                settings.put(key, value);
                            }
                        });
        if (plan.settings().containsKey("link.token")) {
            settings.remove("link.token-file");
        }
        var spec = new PartSpec(name, command, heap, settings, variables);
        synchronized (this) {
            if (closed) {
                throw new PartFailedException("The fleet is being stopped");
            }
            var part = PartProcess.start(spec, jvm, variablesFor(schema), log(name), trouble);
            parts.add(part);
            return part;
        }
    }

    private ProcessBuilder.Redirect log(String name) {
        var logs = plan.logs();
        return logs == null
                ? ProcessBuilder.Redirect.INHERIT
                : ProcessBuilder.Redirect.appendTo(logs.resolve(name + ".log").toFile());
    }

    /** A part refuses variables it does not know, and some are meant for another kind of part. */
    private Predicate<String> variablesFor(SettingsSchema schema) {
        return name ->
                environment.containsKey(name)
                        && !OF_CLIENTS.contains(name)
                        && (SettingsReader.isForeignOrTool(name)
                                || schema.keyOfVariable(name) != null);
    }

    /** Waits for the parts also where its thread is interrupted, which it still is then. */
    @Override
    public void close() {
        List<PartProcess> running;
        synchronized (this) {
            closed = true;
            running = List.copyOf(parts);
        }
        var interrupted = Thread.interrupted();
        try {
            for (var kind : List.of("gateway", "worker", "broker")) {
                var group = running.stream().filter(part -> part.name().startsWith(kind)).toList();
                group.forEach(PartProcess::askToEnd);
                var end = System.nanoTime() + PATIENCE.toNanos();
                for (var part : group) {
                    interrupted |= awaitEnd(part, end);
                }
            }
            directory.close();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether this thread was interrupted meanwhile. */
    private boolean awaitEnd(PartProcess part, long end) {
        var interrupted = false;
        while (true) {
            try {
                if (part.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                    trouble.accept(
                            part.name()
                                    + " did not end within "
                                    + PATIENCE.toSeconds()
                                    + " s and was killed");
                }
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
