package dev.perigee.testkit;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.local.cli.FleetSettings;
import dev.perigee.local.cli.PartSchemas;
import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.port.FreePort;
import dev.perigee.local.sample.SampleServer;
import dev.perigee.part.CliException;
import dev.perigee.part.Logging;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * A fleet for tests: a Kafka broker, workers and gateways, each a JVM on this machine with this
 * one's class path, and topics named {@code mcp.}… in a broker that is empty at first. As a static
 * field with {@link org.junit.jupiter.api.extension.RegisterExtension} it starts before the first
 * test of the class and ends after the last one, with all that its servers have started.
 *
 * <p>Gives parameters of type {@code PerigeeFleet}, {@link PerigeeClient} and {@link
 * KafkaConnection}, and {@link BootstrapServers} of type String. Servers run without a jail, with
 * the rights of the tests. Logs of parts are below {@code target/perigee} or {@code build/perigee};
 * packages of servers stay in {@code ~/.cache/perigee} for the next fleet, homes of those that
 * {@link #install(String, List)} has installed do not.
 *
 * <p>A fleet of several classes, such as a field of their superclass, ends with the last that runs
 * beside others. When it starts again it is at the same address, with other topics. Any thread.
 */
public final class PerigeeFleet
        implements BeforeAllCallback, TestInstancePreConstructCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(PerigeeFleet.class);
    private static final String CACHE = "worker.cache-directory";

    private final boolean shared;
    private FleetPlan plan;
    private int classes;
    private @Nullable RunningFleet running;
    private @Nullable FleetStartException failure;

    private PerigeeFleet(FleetPlan plan, boolean shared) {
        this.plan = plan;
        this.shared = shared;
    }

    /** A fleet of one gateway and one worker by default. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The fleet of {@link PerigeeTest}, for static code such as a {@code @DynamicPropertySource} of
     * Spring. It runs from the first class with that mark on, until the run ends; until then its
     * methods throw {@link IllegalStateException}. It has one address as long as this JVM lives.
     */
    public static PerigeeFleet shared() {
        return Shared.FLEET;
    }

    /** Made on first use: a class with a fleet of its own does not need it. */
    private static final class Shared {
        private static final PerigeeFleet FLEET = new PerigeeFleet(builder().plan(), true);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // A nested class finds the entry of the class around it.
        context.getStore(NAMESPACE).computeIfAbsent(this, PerigeeFleet::enter);
    }

    /** An instance for all tests of a class is made before what is before all of them. */
    @Override
    public void preConstructTestInstance(
            TestInstanceFactoryContext factory, ExtensionContext context) {
        beforeAll(context);
    }

    /** Starts it, and gives what ends it unless others have entered. */
    AutoCloseable enter() {
        try {
            synchronized (this) {
                start();
                classes++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the fleet started", e);
        }
        return this::leave;
    }

    private synchronized void leave() {
        if (--classes == 0) {
            stop();
        }
    }

    /**
     * Starts it, if it does not run; what failed once is not tried for each class.
     *
     * @throws IllegalStateException when a part has ended by itself
     */
    synchronized void start() throws InterruptedException {
        if (failure != null) {
            throw failure;
        }
        if (running != null) {
            running.requireParts();
            return;
        }
        try {
            var addressed = addressed();
            var cache = addressed.settings().getOrDefault(CACHE, "");
            running = RunningFleet.start(addressed, Path.of(cache));
        } catch (FleetStartException e) {
            failure = e;
            throw e;
        }
    }

    /** The plan with the port that its broker has each time. */
    synchronized FleetPlan addressed() {
        if (plan.kafkaPort() == 0) {
            try {
                plan = plan.withKafkaPort(FreePort.on("127.0.0.1"));
            } catch (IOException e) {
                throw new FleetStartException("The fleet's broker has no port: " + e, e);
            }
        }
        return plan;
    }

    /** Returns when no process of it is left. */
    synchronized void stop() {
        if (running != null) {
            try {
                running.close();
            } finally {
                running = null;
            }
        }
    }

    private synchronized RunningFleet started() {
        if (running == null) {
            throw new IllegalStateException(
                    shared
                            ? "The fleet of @PerigeeTest does not run: mark this class with it,"
                                    + " before other extensions"
                            : "This fleet does not run: make it a static field with"
                                    + " @RegisterExtension");
        }
        return running;
    }

    private RunningFleet running() {
        var fleet = started();
        fleet.requireParts();
        return fleet;
    }

    /** Address of the broker, {@code host:port}. */
    public String bootstrap() {
        return connection().bootstrap();
    }

    /** The same with the names of the topics, as Perigee's clients take it. */
    public KafkaConnection connection() {
        return running().connection();
    }

    /** Client that all tests of this fleet share; the fleet closes it. */
    public PerigeeClient client() {
        return running().client();
    }

    /**
     * Installs a program for a user of its own, and returns when it is online.
     *
     * @param slug first part of its tools' paths
     * @param command the program and its arguments, such as {@code npx}, {@code -y} and a package
     * @throws IllegalStateException when it is not online within two minutes, and why
     */
    public InstalledServer install(String slug, List<String> command) throws InterruptedException {
        var id = UUID.randomUUID().toString();
        var owner = new Owner(running().team(), "testkit", "user-" + id, "user");
        return install(
                new ServerConfigBuilder(
                                id,
                                slug,
                                owner,
                                TransportType.STDIO,
                                command.getFirst(),
                                command.subList(1, command.size()))
                        .build());
    }

    /**
     * Installs a server, and returns when it is online. Its user and installation are ones that no
     * other test of the fleet has.
     *
     * @throws IllegalStateException when it is not online within two minutes, and why
     */
    public InstalledServer install(ServerConfig config) throws InterruptedException {
        try {
            return InstalledServer.install(config, this::client);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "The installation of %s had no result in time. The fleet's logs:\n%s"
                            .formatted(config.processId(), started().lastWords()),
                    e);
        }
    }

    /**
     * Installs a server that comes with Perigee and needs nothing else: slug {@code sample}, tool
     * {@code echo} with a {@code message}. Errors as {@link #install(String, List)}.
     */
    public InstalledServer installSample() throws InterruptedException {
        return install("sample", SampleServer.command());
    }

    /**
     * Kills a part at once and all that runs below it, as the loss of a machine does; returns when
     * it is gone.
     *
     * @param part {@code broker}, {@code gateway-1}, {@code worker-1} and so on
     * @throws IllegalArgumentException when there is no such part
     * @throws IllegalStateException when something of it still runs after that
     */
    public void kill(String part) throws InterruptedException {
        own().kill(part);
    }

    /**
     * Starts a part that has ended, where it was and with what it has on disk; returns when it
     * serves. After a failure this may be tried again.
     *
     * @throws IllegalStateException when it runs
     * @throws FleetStartException when it does not serve within two minutes
     */
    public void startAgain(String part) throws IOException, InterruptedException {
        own().startAgain(part);
    }

    private RunningFleet own() {
        if (shared) {
            throw new IllegalStateException(
                    "Other test classes share this fleet: kill parts of one of your own, a static"
                            + " field with @RegisterExtension");
        }
        return started();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return gives(parameter);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return given(parameter);
    }

    static boolean gives(ParameterContext parameter) {
        var type = parameter.getParameter().getType();
        return type == PerigeeFleet.class
                || type == PerigeeClient.class
                || type == KafkaConnection.class
                || (type == String.class && parameter.isAnnotated(BootstrapServers.class));
    }

    Object given(ParameterContext parameter) {
        var type = parameter.getParameter().getType();
        if (type == PerigeeFleet.class) {
            return this;
        }
        if (type == PerigeeClient.class) {
            return client();
        }
        return type == KafkaConnection.class ? connection() : bootstrap();
    }

    /** Collects the shape and settings of a fleet. For one thread. */
    public static final class Builder {
        private final List<String> settings = new ArrayList<>();
        private int gateways = 1;
        private int workers = 1;
        private int partitions = 2;

        private Builder() {}

        /** How many gateways: one, unless this is called; none for a broker with topics only. */
        public Builder gateways(int number) {
            gateways = number;
            return this;
        }

        /** How many workers: one, unless this is called. */
        public Builder workers(int number) {
            workers = number;
            return this;
        }

        /** How many process partitions the topics have: two, unless this is called. */
        public Builder partitions(int number) {
            partitions = number;
            return this;
        }

        /**
         * A configuration key, for every part that knows it, such as {@code idle.timeout}, {@code
         * mcp.announce-input} or {@code broker.kafka.message.max.bytes}.
         */
        public Builder set(String key, String value) {
            settings.add(key + "=" + value);
            return this;
        }

        /**
         * A fleet that is not started yet: JUnit does that.
         *
         * @throws IllegalArgumentException when there is no such fleet, or no such key
         */
        public PerigeeFleet build() {
            if (gateways < 0 || workers < 0 || partitions < 1 || (gateways > 0 && workers == 0)) {
                throw new IllegalArgumentException(
                        "A fleet has at least one partition, and a worker where it has gateways");
            }
            try {
                return new PerigeeFleet(plan(), false);
            } catch (CliException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }

        private FleetPlan plan() {
            var parsed = FleetSettings.parse(settings, PartSchemas.BY_KIND.values());
            parsed.putIfAbsent(
                    CACHE,
                    Path.of(System.getProperty("user.home"), ".cache", "perigee").toString());
            return new FleetPlan(
                    null,
                    0,
                    null,
                    partitions,
                    workers,
                    gateways,
                    TopicNames.DEFAULT_PREFIX,
                    parsed,
                    Map.of("PERIGEE_LOG_LEVEL", Logging.level("warn")),
                    PartSchemas.BY_KIND,
                    null);
        }
    }
}
