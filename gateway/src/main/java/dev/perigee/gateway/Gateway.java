package dev.perigee.gateway;

import dev.perigee.gateway.admin.GatewayAdminServer;
import dev.perigee.gateway.admin.GatewayAdminSettings;
import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.inbound.BrokerClock;
import dev.perigee.gateway.inbound.CoPartitionedAssignor;
import dev.perigee.gateway.inbound.FeedLimits;
import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.PollLoop;
import dev.perigee.gateway.inbound.Reach;
import dev.perigee.gateway.inbound.TopicFollower;
import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.gateway.outbound.Replies;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.outbound.TransactionalOffsets;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.gateway.partition.GroupOffsets;
import dev.perigee.gateway.partition.Mover;
import dev.perigee.gateway.partition.Partitions;
import dev.perigee.gateway.partition.RecordedCount;
import dev.perigee.gateway.partition.StateReader;
import dev.perigee.gateway.placement.PlacementSettings;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import dev.perigee.tracing.Traced;
import dev.perigee.tracing.Tracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway: takes commands and requests from Kafka, has workers carry them out over their
 * links, and publishes what comes back. Keeps nothing on disk: a partition's state is in Kafka and
 * in the session at its worker. Started and closed by one thread.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final Duration LEAVE_WAIT = Duration.ofSeconds(5);

    private final String id;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private @Nullable GatewayAdminServer admin;

    private Gateway(String id) {
        this.id = id;
    }

    /**
     * Starts a gateway; returns when it has joined in, not when it serves: {@code /health/ready}
     * says that.
     *
     * @param console of this gateway; {@link GatewayConsole#NONE} for one without
     * @throws GatewayStartException when the topics are not as they must be, the broker is not
     *     reached, an address is taken or a TLS file cannot be used
     */
    public static Gateway start(Settings settings, GatewayConsole.Maker console)
            throws InterruptedException {
        return start(settings, new LinkedFleet(settings), console, InstantSource.system());
    }

    /**
     * Starts a gateway without a console against the workers of a test.
     *
     * @throws GatewayStartException when the topics are not as they must be, or the broker is not
     *     reached
     */
    public static Gateway start(Settings settings, Fleet fleet) throws InterruptedException {
        return start(settings, fleet, InstantSource.system());
    }

    /** The same, on a machine with the clock of a test. */
    public static Gateway start(Settings settings, Fleet fleet, InstantSource clock)
            throws InterruptedException {
        return start(settings, fleet, GatewayConsole.NONE, clock);
    }

    private static Gateway start(
            Settings settings, Fleet fleet, GatewayConsole.Maker console, InstantSource clock)
            throws InterruptedException {
        var given = settings.valueOrNull(GatewaySettings.ID);
        var id = given == null ? "gateway-" + UUID.randomUUID().toString().substring(0, 8) : given;
        var gateway = new Gateway(id);
        boolean started = false;
        try {
            gateway.run(settings, fleet, console, clock);
            started = true;
            return gateway;
        } catch (KafkaException e) {
            throw new GatewayStartException(
                    "The gateway cannot use Kafka, check kafka.*: " + e.getMessage(), e);
        } finally {
            if (!started) {
                gateway.close();
            }
        }
    }

    /** Who this gateway is. */
    public String gatewayId() {
        return id;
    }

    /** Where health and metrics are served. */
    public URI adminUri() {
        if (admin == null) {
            throw new IllegalStateException("not started");
        }
        return URI.create("http://" + admin.address());
    }

    /** Its measurements. */
    public MeterRegistry metrics() {
        return registry;
    }

    /** Leaves the group, hands its sessions over, writes what waits; bounded. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("A part of the gateway failed to close");
            }
        }
        registry.close();
    }

    private void run(
            Settings settings, Fleet fleet, GatewayConsole.Maker maker, InstantSource clock)
            throws InterruptedException {
        SecretsNotice.log(settings);
        parts.push(trace(settings));
        var names = new TopicNames(settings.value(GatewaySettings.PREFIX));
        var givenGroup = settings.valueOrNull(GatewaySettings.GROUP);
        var group = givenGroup == null ? names.prefix() + "gateway" : givenGroup;
        var clients = new KafkaClients(settings, id, group, names);

        var kafka = clients.admin();
        parts.push(() -> kafka.close(LEAVE_WAIT));
        var began = began(kafka, clients, names);
        int partitionCount = began.partitions();
        var brokers = new BrokerClock();
        var watch = new BrokerWatch(kafka, clock, brokers);
        watch.compareClocks();

        var health = new TopicHealth(names);
        var topics = new TopicWatch(kafka, names, health);
        topics.start();
        parts.push(topics);
        var membership = new Membership();
        var replies = new Replies(clients.replyProducer(), new PublicRecords(names, clock));
        parts.push(replies);
        var fast = new FastPublisher(clients::fastProducer, health, registry);
        parts.push(fast);
        fast.prepare(
                Arrays.stream(Topic.values())
                        .filter(topic -> !topic.isOptional())
                        .map(names::of)
                        .toList());
        var transactions =
                new TransactionalPublisher(
                        clients::transactionalProducer,
                        names.of(Topic.COMMANDS),
                        membership,
                        health,
                        registry);
        parts.push(transactions);
        transactions.start();
        var seal = new StateSeal(settings.valueOrNull(GatewaySettings.STATE_KEYS));
        var state =
                new StateReader(
                        clients::stateConsumer,
                        names.of(Topic.STATE),
                        seal,
                        settings.value(GatewaySettings.RESTORES),
                        clock);
        parts.push(state);

        var workers = new FleetListener(fast, names, clock);
        WorkerLinks links = fleet.connect(id, workers, registry);
        parts.push(links);
        var services =
                new Assembly(settings, id, names, partitionCount, clock, brokers, registry)
                        .services(
                                fast,
                                replies,
                                transactions,
                                new GroupOffsets(kafka, group, names),
                                state,
                                seal,
                                links,
                                fleet);
        var processIds =
                new TopicFollower(
                        "process-ids",
                        clients::processIdConsumer,
                        new ProcessIdReader(names.of(Topic.STATUS), services.processIds()));
        processIds.start();
        parts.push(processIds);
        var partitions = new Partitions(services);
        parts.push(() -> partitions.awaitEnded(LEAVE_WAIT));
        var mover =
                new Mover(
                        partitions,
                        links,
                        PlacementSettings.moves(settings),
                        services.metrics(),
                        clock);
        workers.feed(
                () -> {
                    partitions.workersChanged();
                    mover.workersChanged();
                });
        mover.start();
        parts.push(mover);

        var incarnations =
                new Incarnations(names, began.topicIds(), new TopicCheck(kafka, names).ids());
        var counts = new PartitionCountWatch(kafka, names, partitionCount, incarnations, registry);
        parts.push(counts);
        var intake = MemorySettings.intake(settings);
        var more = new HashMap<>(ConsumerMeters.config(registry, names));
        more.putAll(Heap.fetches(intake.budget().limit(), partitionCount));
        var reach =
                new ReachWatch(
                        links, partitions::hosts, settings.value(LinkSettings.PING_INTERVAL));
        more.put(CoPartitionedAssignor.REACH, (Supplier<Reach>) reach::reach);
        var consumer = clients.groupConsumer(more, intake.values(), counts::servable);
        var loop =
                new PollLoop(
                        consumer,
                        names,
                        new FeedLimits(
                                settings.value(GatewaySettings.OPEN_RECORDS),
                                settings.value(GatewaySettings.OPEN_BYTES)),
                        settings.value(GatewaySettings.SESSION_TIMEOUT),
                        intake,
                        membership,
                        partitions,
                        new TransactionalOffsets(clients::rebalanceProducer));
        loop.linkNames(incarnations.linkNames());
        loop.start();
        parts.push(loop);
        counts.start(loop::reassign, loop::replaced, loop::isSuspicious);
        reach.start(loop::reassign);
        parts.push(reach);
        var stuck =
                new StuckTransactions(
                        kafka, names, group, () -> partitions.states().keySet(), registry);
        stuck.start();
        parts.push(stuck);
        var gauges = new GatewayGauges(registry, clock);
        gauges.partitions(partitions, names);
        gauges.requestIds(services.requestIds());
        gauges.memory("open-arguments", services.arguments().budget());
        gauges.memory("intake", intake.budget());
        watch.start();
        parts.push(watch);
        var backlogs = Map.of("records", fast.backlog(), "state changes", transactions.backlog());
        gauges.broker(watch, backlogs);
        gauges.clock(brokers);
        gauges.topics(health, names);
        var readiness =
                new GatewayReadiness(
                        loop, partitions, links, watch, brokers, counts, health, backlogs, clock);
        gauges.ready(readiness);
        var access = GatewayAdminSettings.access(settings);
        var console =
                maker.of(
                        settings,
                        access,
                        new FleetSources(
                                id, partitionCount, readiness, links::workers, partitions::states),
                        new GatewayConsole.Kafka(
                                clients::consoleConsumer,
                                clients::consoleProducer,
                                clients::redriveProducer,
                                kafka,
                                names,
                                group,
                                KafkaClients.MEMBER_SUFFIX),
                        services.reader(),
                        clock);
        admin = serve(settings, access, readiness, console.handlers());
        parts.push(admin);
        parts.push(console);
        LOG.atInfo()
                .addKeyValue("gateway_id", id)
                .addKeyValue("partitions", partitionCount)
                .log("Gateway started");
    }

    private Tracing trace(Settings settings) {
        var version = Gateway.class.getPackage().getImplementationVersion();
        try {
            return Tracing.start(settings, new Traced("gateway", id, version), registry);
        } catch (IOException e) {
            throw new GatewayStartException(String.valueOf(e.getMessage()), e);
        }
    }

    private static RecordedCount.Recorded began(Admin kafka, KafkaClients clients, TopicNames names)
            throws InterruptedException {
        var check = new TopicCheck(kafka, names);
        var counts = check.counts();
        var record = new RecordedCount(names.of(Topic.STATE));
        var recorded = record.read(clients::stateConsumer);
        int partitions =
                TopicCheck.partitions(counts, recorded == null ? null : recorded.partitions());
        if (recorded != null && !recorded.topicIds().isEmpty()) {
            return recorded;
        }
        var began = new RecordedCount.Recorded(partitions, check.ids());
        record.write(clients::replyProducer, began);
        return began;
    }

    private GatewayAdminServer serve(
            Settings settings, AdminAccess access, Readiness readiness, Handler... pages) {
        try {
            return GatewayAdminServer.start(
                    settings.value(GatewayAdminSettings.LISTEN),
                    access,
                    readiness,
                    registry,
                    pages);
        } catch (IOException e) {
            throw new GatewayStartException(
                    e.getMessage() + ": set admin.listen to a free address", e);
        }
    }
}
