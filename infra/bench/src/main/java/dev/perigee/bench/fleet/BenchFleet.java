package dev.perigee.bench.fleet;

import dev.perigee.faults.FaultProxy;
import dev.perigee.local.broker.BrokerSettings;
import dev.perigee.local.cli.Perigee;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.JvmCommand;
import dev.perigee.local.fleet.LocalFleet;
import dev.perigee.part.ReadyLine;
import dev.perigee.part.gateway.GatewayCommand;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.worker.WorkerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * A broker, gateways and workers in JVMs of their own, with the compiler that a deployed one has.
 * No process outlives {@link #close}, nor this JVM.
 */
public final class BenchFleet implements AutoCloseable {
    /** A fleet for development starts fast; this one has to run as a deployed one does. */
    private static final String OPTIMIZED = "-XX:TieredStopAtLevel=4 ";

    private static final String LEVEL = "PERIGEE_LOG_LEVEL";
    private static final int TOPICS_MILLIS = 300_000;
    private static final TopicNames TOPICS = new TopicNames(TopicNames.DEFAULT_PREFIX);

    private final LocalFleet fleet;
    private final Map<String, ReadyLine> lines;
    private final List<FaultProxy> links;
    private final String bootstrap;
    private final Thread stopper;

    private BenchFleet(
            LocalFleet fleet,
            Map<String, ReadyLine> lines,
            List<FaultProxy> links,
            String bootstrap,
            Thread stopper) {
        this.fleet = fleet;
        this.lines = lines;
        this.links = links;
        this.bootstrap = bootstrap;
        this.stopper = stopper;
    }

    /**
     * Starts one and returns when it serves.
     *
     * @param say hears of parts that end by themselves
     */
    public static BenchFleet start(FleetShape shape, Consumer<String> say)
            throws IOException, InterruptedException {
        var plan =
                new FleetPlan(
                        null,
                        0,
                        null,
                        shape.partitions(),
                        shape.workers(),
                        shape.gateways(),
                        TopicNames.DEFAULT_PREFIX,
                        shape.settings(),
                        Map.of(LEVEL, System.getenv().getOrDefault(LEVEL, "off")),
                        Map.of(
                                "broker", BrokerSettings.SCHEMA,
                                "worker", WorkerSettings.SCHEMA,
                                "gateway", GatewayCommand.SCHEMA),
                        null);
        var lines = new ConcurrentHashMap<String, ReadyLine>();
        var links = new ArrayList<FaultProxy>();
        var fleet =
                new LocalFleet(
                        plan,
                        new JvmCommand(Perigee.class.getName(), flags(), classPath()),
                        line -> lines.put(line.name(), line),
                        say,
                        url -> shape.faultyLinks() ? through(url, links) : url);
        var stopper = new Thread(fleet::close, "stop-fleet");
        Runtime.getRuntime().addShutdownHook(stopper);
        try {
            var started = new BenchFleet(fleet, lines, links, fleet.start(), stopper);
            started.awaitTopics();
            return started;
        } catch (IOException | InterruptedException | RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    /**
     * A broker goes on creating partitions after it said that it did, with thousands of them for a
     * minute; until then each refuses the first who comes.
     */
    private void awaitTopics() throws IOException, InterruptedException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var ends = new HashMap<TopicPartition, OffsetSpec>();
            for (var topic : admin.describeTopics(TOPICS.all()).allTopicNames().get().values()) {
                for (var partition : topic.partitions()) {
                    ends.put(
                            new TopicPartition(topic.name(), partition.partition()),
                            OffsetSpec.latest());
                }
            }
            admin.listOffsets(ends, new ListOffsetsOptions().timeoutMs(TOPICS_MILLIS)).all().get();
        } catch (ExecutionException e) {
            throw new IOException("The broker does not have all its partitions", e.getCause());
        }
    }

    private static String through(String url, List<FaultProxy> links) {
        try {
            var uri = URI.create(url);
            var proxy = FaultProxy.to(uri.getPort());
            links.add(proxy);
            return url.replace(":" + uri.getPort(), ":" + proxy.port());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of every JVM that is measured, on top of those of a fleet for development. */
    public static String flags() {
        return OPTIMIZED + System.getenv().getOrDefault("PERIGEE_JAVA_OPTS", "");
    }

    /**
     * What scripts/warm-up had the JVM note is of the parts' own classes, without this module's.
     */
    private static String classPath() {
        return System.getProperty("perigee.parts", System.getProperty("java.class.path"));
    }

    public String bootstrap() {
        return bootstrap;
    }

    public TopicNames topics() {
        return TOPICS;
    }

    /** The process of a part, such as {@code gateway-1}. */
    public long pid(String part) {
        var line = lines.get(part);
        if (line == null) {
            throw new IllegalArgumentException("No part " + part + " among " + lines.keySet());
        }
        return line.pid();
    }

    /** Its parts, to be ended, killed and started again. */
    public LocalFleet parts() {
        return fleet;
    }

    /** The networks between the gateways and each worker, where they fail to order. */
    public List<FaultProxy> links() {
        return links;
    }

    @Override
    public void close() {
        fleet.close();
        links.forEach(FaultProxy::close);
        try {
            Runtime.getRuntime().removeShutdownHook(stopper);
        } catch (IllegalStateException e) {
            // This JVM is ending and runs it.
        }
    }
}
