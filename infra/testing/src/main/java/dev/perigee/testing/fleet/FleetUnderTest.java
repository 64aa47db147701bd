package dev.perigee.testing.fleet;

import dev.perigee.faults.FaultProxy;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A running fleet: a broker in this JVM unless the test is about {@link Brokers}, gateways and
 * workers as JVMs of their own, and a backend to drive them. Used by one test class; {@link #close}
 * leaves no process behind, whatever happened. Parts are named as {@code perigee dev} names them:
 * {@code gateway-1}, {@code worker-1}.
 */
public final class FleetUnderTest implements AutoCloseable {

    /** What gateways and workers of a test fleet have to show each other. */
    public static final String TOKEN = "a-token-for-tests-only";

    /** How many process partitions a fleet has unless it is told otherwise. */
    static final int PARTITIONS = 8;

    private final TopicNames names = new TopicNames(TopicNames.DEFAULT_PREFIX);
    private final Marked marked = new Marked();
    private final PartSettings settings;
    private final Map<String, Integer> heaps;
    private final List<String> workersBy;
    private final int partitions;
    private final int firstWorkers;
    private final Path logs;
    private final Path data;
    private final @Nullable EmbeddedBroker embedded;
    private final @Nullable Brokers brokers;
    private final LinkNetworks networks = new LinkNetworks();
    private final Map<String, Part> parts = new ConcurrentSkipListMap<>();
    private final Records records;
    private final Backend backend;
    private volatile @Nullable String classPath;

    private FleetUnderTest(Builder builder) throws IOException {
        this.settings = new PartSettings(builder.settings);
        this.heaps = Map.copyOf(builder.heaps);
        this.workersBy = builder.workersBy;
        this.classPath = builder.classPath;
        this.partitions = builder.partitions;
        this.firstWorkers = builder.workers;
        this.logs = Files.createDirectories(builder.logs);
        this.data = Files.createTempDirectory("perigee-fleet");
        chooseAddresses(builder.workers, builder.spareWorkers, builder.faultyLinks);
        try {
            // Workers know no broker: they start while it does.
            IntStream.rangeClosed(1, builder.workers).forEach(this::startWorker);
            this.brokers = builder.brokers == 0 ? null : startBrokers(builder);
            this.embedded = brokers == null ? EmbeddedBroker.start(data) : null;
        } catch (IOException | RuntimeException | AssertionError e) {
            marked.processes().forEach(ProcessHandle::destroyForcibly);
            networks.close();
            throw e;
        }
        try {
            FleetTopics.create(bootstrap(), names, builder.partitions, data);
            this.records = Records.reading(bootstrap(), names);
            this.backend = new Backend(bootstrap(), names, records);
        } catch (IOException | RuntimeException | AssertionError e) {
            marked.processes().forEach(ProcessHandle::destroyForcibly);
            networks.close();
            closeBrokers();
            throw e;
        }
    }

    /** Whichever of the workers serve, each has partitions. */
    private void chooseAddresses(int first, int spare, boolean faultyLinks) throws IOException {
        do {
            networks.chooseAddresses(first + spare);
        } while (!placing(first).eachHasSome() || !placing(first + spare).eachHasSome());
        if (faultyLinks) {
            networks.putBeforeWorkers();
        }
    }

    private Brokers startBrokers(Builder builder) throws IOException {
        return Brokers.start(builder.brokers, builder.gateways, data, this::start);
    }

    /** A fleet whose output goes to {@code target/fleets/<name>}. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    public Records records() {
        return records;
    }

    /** What its topics are called. */
    public TopicNames names() {
        return names;
    }

    /** How many process partitions it has. */
    public int partitions() {
        return partitions;
    }

    public Backend backend() {
        return backend;
    }

    /** Where Kafka clients connect. */
    public String bootstrap() {
        return brokers == null ? Objects.requireNonNull(embedded).bootstrap() : brokers.bootstrap();
    }

    /** The brokers, where they are parts of the fleet. */
    public Brokers brokers() {
        return Objects.requireNonNull(brokers, "The fleet's broker is in this JVM");
    }

    /** A part by name. */
    public Part part(String name) {
        var part = parts.get(name);
        if (part == null) {
            throw new IllegalArgumentException("No part " + name + " among " + parts.keySet());
        }
        return part;
    }

    /** The gateways, workers and brokers that were started, by name; of each the last. */
    public Map<String, Part> parts() {
        return Map.copyOf(parts);
    }

    /** The network between the gateways and a worker, where the fleet has faulty links. */
    public FaultProxy link(int worker) {
        return networks.before(worker);
    }

    /** The network between one gateway and one worker, where each pair has one of its own. */
    public FaultProxy link(int gateway, int worker) {
        return networks.between(gateway, worker);
    }

    /**
     * The networks between each gateway and each worker and broker: those between gateways and
     * workers only where each pair has one of its own, those to brokers where these are parts.
     */
    public List<Line> lines() {
        var lines = new ArrayList<Line>();
        for (int gateway : networks.gateways()) {
            for (int worker = 1; worker <= networks.count(); worker++) {
                lines.add(line(gateway, "worker-" + worker, link(gateway, worker)));
            }
            for (int broker = 1; brokers != null && broker <= brokers.count(); broker++) {
                var network = brokers.network(gateway).get(broker - 1);
                lines.add(line(gateway, Brokers.name(broker), network));
            }
        }
        return List.copyOf(lines);
    }

    private static Line line(int gateway, String other, FaultProxy proxy) {
        return new Line("gateway-" + gateway, other, proxy);
    }

    /** What gateways call a worker whose id they have not heard. */
    public String linkAuthority(int worker) {
        return "127.0.0.1:" + networks.ports(1).skip(worker - 1L).findFirst().orElseThrow();
    }

    /** The id of a worker: its own on this system, where other fleets may run. */
    public String workerId(int number) {
        return "worker-" + number + "-" + networks.worker(number).port();
    }

    /** Where partitions are while those workers serve that were started with the fleet. */
    public Placing placing() {
        return placing(firstWorkers);
    }

    /** Where partitions are while the first so many workers serve. */
    public Placing placing(int number) {
        return new Placing(
                partitions, IntStream.rangeClosed(1, number).mapToObj(this::workerId).toList());
    }

    /**
     * Starts a worker where it was, with the same settings. Without a jail for its servers, which
     * may be on this machine, unless the test's settings choose otherwise.
     */
    public Part startWorker(int number) {
        var address = networks.worker(number);
        var name = "worker-" + number;
        return start(
                name,
                settings.command(
                        "worker",
                        name,
                        Map.of(
                                "worker.id",
                                workerId(number),
                                "link.listen",
                                address.toString(),
                                "link.token",
                                TOKEN,
                                "admin.listen",
                                "127.0.0.1:0",
                                "worker.mode",
                                "development",
                                "isolation.mode",
                                "none",
                                "egress.allow",
                                "127.0.0.0/8,::1")));
    }

    /** Starts a gateway, a new one or one that has ended. */
    public Part startGateway(int number) {
        return startGateway(number, TOKEN);
    }

    /** Starts a gateway that shows this token to the workers. */
    public Part startGateway(int number, String token) {
        var scheme = settings.has("worker/link.tls.certificate") ? "wss" : "ws";
        var links =
                networks.ports(number)
                        .mapToObj(port -> scheme + "://127.0.0.1:" + port + "/link")
                        .collect(Collectors.joining(","));
        return start(
                "gateway-" + number,
                settings.command(
                        "gateway",
                        "gateway-" + number,
                        Map.of(
                                "gateway.id",
                                "gateway-" + number,
                                "kafka.bootstrap.servers",
                                brokers == null ? bootstrap() : brokers.bootstrapOf(number),
                                "workers",
                                links,
                                "link.token",
                                token,
                                "admin.listen",
                                "127.0.0.1:0")));
    }

    /** Starts a gateway, worker or broker by its name, where it was. */
    public Part startAgain(String name) {
        int number = Integer.parseInt(name.substring(name.indexOf('-') + 1));
        return switch (name.substring(0, name.indexOf('-'))) {
            case "gateway" -> startGateway(number);
            case "worker" -> startWorker(number);
            case "broker" -> brokers().start(number);
            default -> throw new IllegalArgumentException("No part " + name);
        };
    }

    /** Parts that start from now on are of another version; null for this one. */
    public void runs(@Nullable String otherClassPath) {
        classPath = otherClassPath;
    }

    /** Starts any command of the command line in this fleet's surroundings. */
    public Part start(String name, List<String> arguments) {
        try {
            var environment = new TreeMap<>(marked.environment());
            environment.putAll(settings.of("environment"));
            var part =
                    Part.start(
                            logs.resolve(name + ".log"),
                            environment,
                            PartJvm.command(
                                    arguments,
                                    heaps.getOrDefault(arguments.getFirst(), Part.HEAP_MEBIBYTES),
                                    classPath),
                            arguments.getFirst().equals("worker") ? workersBy : List.of());
            parts.put(name, part);
            return part;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every live process that this fleet has started, its parts and all below them. */
    public List<ProcessHandle> processes() {
        return marked.processes();
    }

    /** The live processes besides the parts themselves: MCP servers and their helpers. */
    public List<ProcessHandle> processesOfServers() {
        var own = parts.values().stream().map(Part::pid).collect(Collectors.toSet());
        return processes().stream().filter(process -> !own.contains(process.pid())).toList();
    }

    private void awaitReady(String prefix) {
        parts.forEach(
                (name, part) -> {
                    if (name.startsWith(prefix)) {
                        part.awaitReady();
                    }
                });
    }

    @Override
    public void close() {
        var ending = new TreeMap<>(parts);
        ending.keySet().removeIf(name -> name.startsWith("broker"));
        // Workers stop their servers by SIGTERM; gateways have nothing to stop.
        ending.forEach(
                (name, part) -> {
                    if (name.startsWith("gateway-")) {
                        part.killSoon();
                    } else {
                        part.askToEnd();
                    }
                });
        ending.values().forEach(Part::close);
        marked.processes().forEach(ProcessHandle::destroyForcibly);
        networks.close();
        backend.close();
        records.close();
        closeBrokers();
        try (var files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder())
                    .map(Path::toFile)
                    .forEach(file -> file.delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void closeBrokers() {
        if (embedded != null) {
            embedded.close();
        }
        if (brokers != null) {
            brokers.close();
        }
    }

    /** Collects what a fleet is made of. */
    public static final class Builder {

        private Path logs;
        private final Map<String, String> settings = new TreeMap<>();
        private final Map<String, Integer> heaps = new TreeMap<>();
        private List<String> workersBy = List.of();
        private @Nullable String classPath;
        private int gateways = 1;
        private int workers = 1;
        private int spareWorkers;
        private int partitions = PARTITIONS;
        private boolean faultyLinks;
        private boolean faultyPairs;
        private int brokers;

        private Builder(String name) {
            this.logs = Path.of("target", "fleets", name);
        }

        /** Where the parts' output goes, instead of to {@code target/fleets/<name>}. */
        public Builder logs(Path directory) {
            logs = directory;
            return this;
        }

        public Builder gateways(int number) {
            gateways = number;
            return this;
        }

        public Builder workers(int number) {
            workers = number;
            return this;
        }

        public Builder partitions(int number) {
            partitions = number;
            return this;
        }

        /** Workers that gateways know and that {@link FleetUnderTest#startWorker} starts later. */
        public Builder spareWorkers(int number) {
            spareWorkers = number;
            return this;
        }

        /** Gateways reach workers through a network that fails to order. */
        public Builder faultyLinks() {
            faultyLinks = true;
            return this;
        }

        /** Each gateway reaches each worker through a network of its own that fails to order. */
        public Builder faultyPairs() {
            faultyPairs = true;
            return this;
        }

        /** So many brokers as parts of the fleet, see {@link Brokers}. */
        public Builder brokers(int number) {
            brokers = number;
            return this;
        }

        /** The heap of every gateway, or of every worker; 256 MiB by default. */
        public Builder heap(String part, int mebibytes) {
            heaps.put(part, mebibytes);
            return this;
        }

        /** Words before the command of every worker, which run it. */
        public Builder workersBy(List<String> words) {
            workersBy = List.copyOf(words);
            return this;
        }

        /** A setting of every worker. */
        public Builder worker(String key, String value) {
            settings.put("worker/" + key, value);
            return this;
        }

        /** A setting of one worker, by its number. */
        public Builder worker(int number, String key, String value) {
            settings.put("worker-" + number + "/" + key, value);
            return this;
        }

        /** A setting of every gateway. */
        public Builder gateway(String key, String value) {
            settings.put("gateway/" + key, value);
            return this;
        }

        /** All parts begin as another version, see {@link FleetUnderTest#runs}. */
        public Builder runs(String otherClassPath) {
            classPath = otherClassPath;
            return this;
        }

        /** A setting of one gateway, by its number. */
        public Builder gateway(int number, String key, String value) {
            settings.put("gateway-" + number + "/" + key, value);
            return this;
        }

        /** A variable in the environment of every part. */
        public Builder environment(String name, String value) {
            settings.put("environment/" + name, value);
            return this;
        }

        /** Starts everything and waits until each part says that it is ready. */
        public FleetUnderTest start() throws IOException {
            var fleet = new FleetUnderTest(this);
            try {
                if (faultyPairs) {
                    fleet.networks.putBetweenPairs(gateways);
                }
                // A gateway places partitions on the workers that are there, so that they must be.
                fleet.awaitReady("worker-");
                for (int number = 1; number <= gateways; number++) {
                    fleet.startGateway(number);
                }
                fleet.awaitReady("gateway-");
                return fleet;
            } catch (RuntimeException | AssertionError e) {
                fleet.close();
                throw e;
            }
        }
    }
}
