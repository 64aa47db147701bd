package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.IdleFeed;
import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.PendingAcceptance;
import dev.perigee.gateway.link.PendingOrder;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.quarantine.QuarantineLimits;
import dev.perigee.gateway.quarantine.QuarantineRules;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one owner share, attached to a worker that agrees to everything. What is
 * written goes nowhere. The test's thread is the owner's.
 */
final class OwnerBench {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final PartitionContext context;
    final Session session = new Session(new WillingLink());

    /** What the worker was asked to give its place for trials to, "null" when it was given back. */
    final List<String> trials = new CopyOnWriteArrayList<>();

    /** What another worker was asked to prepare, by the installation. */
    final List<String> prepared = new CopyOnWriteArrayList<>();

    Instant now = Instant.parse("2026-11-24T10:00:00Z");

    OwnerBench() {
        context = new PartitionContext(services(), IdleFeed.of(1), new OwnerMailbox(new Alarm()));
        context.state().host(new StateRecord.Host("w", "w/1"));
        session.createdEpoch(1);
        session.serve();
        context.session(session);
    }

    @SuppressWarnings("NullAway") // What is null here is not asked for.
    private PartitionServices services() {
        var names = new TopicNames("mcp.");
        var metrics = new SimpleMeterRegistry();
        var publisher =
                new TransactionalPublisher(
                        () -> {
                            throw new IllegalStateException("never started");
                        },
                        "mcp.commands",
                        new Membership(),
                        new TopicHealth(names),
                        metrics);
        var minute = Duration.ofMinutes(1);
        return new PartitionServices(
                "g",
                8,
                names,
                null,
                null,
                publisher,
                null,
                null,
                null,
                null,
                null,
                new StateSeal(null),
                new NoLinks(),
                (_, _, _) -> new HostDecision.Place("w-2"),
                new PartitionTimes(minute, minute, minute, minute, minute, minute, minute),
                new QuarantineRules(
                        new QuarantineLimits(
                                2, Duration.ofHours(1), Duration.ofSeconds(20), Duration.ZERO)),
                null,
                new Installations(100, 100),
                new ProcessIdOwners(),
                null,
                null,
                () -> now,
                new GatewayMetrics(metrics, names));
    }

    void later(Duration time) {
        now = now.plus(time);
    }

    /** Has it wanted, and run by nobody yet. */
    DesiredInstance install(String user, String installation) {
        return install(config(user, installation, "node"));
    }

    DesiredInstance install(ServerConfig config) {
        var origin = new RecordOrigin("mcp.commands", 1, 1);
        return install(new Installed(config, false, origin, "c-1", null, now));
    }

    DesiredInstance install(Installed wanted) {
        var instance = DesiredInstance.of(wanted, 1);
        context.state().install(instance);
        return instance;
    }

    static ServerConfig config(String user, String installation, String command) {
        return Json.read(
                """
                {"installation_id":"%s","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"%s","user_slug":"%s","transport_type":"stdio","command":"%s"}"""
                        .formatted(installation, user, user, command)
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }

    /** Does what others told the owner, until something is so. */
    void pumpUntil(BooleanSupplier isSo) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (!isSo.getAsBoolean()) {
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError("It did not come to that in time");
                }
                var work = context.mailbox().take(Duration.ofMillis(100));
                if (work != null) {
                    work.run();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class NoLinks implements WorkerLinks {
        @Override
        public PartitionLink open(
                PartitionClaim claim,
                String workerId,
                String incarnation,
                boolean create,
                SessionListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<WorkerView> workers() {
            return List.of();
        }

        @Override
        public Set<String> heard() {
            return Set.of();
        }

        @Override
        public void stays(String workerId, String reason) {}

        @Override
        public void prepare(String workerId, List<ServerConfig> configs, Duration atMost) {
            configs.forEach(config -> prepared.add(workerId + " " + config.installationId()));
        }

        @Override
        public void close() {}
    }

    private final class WillingLink implements PartitionLink {
        @Override
        public PartitionClaim claim() {
            return new PartitionClaim(1, 5);
        }

        @Override
        public String workerId() {
            return "w";
        }

        @Override
        public int protocol() {
            return LinkVersions.SPOKEN.greatest();
        }

        @Override
        public @Nullable Instant heldUntil() {
            return null;
        }

        @Override
        public @Nullable PendingAcceptance offer(ToolOrder.Execute order, Runnable onEnd) {
            return null;
        }

        @Override
        public void flush() {}

        @Override
        public ToolOrder.Accepted execute(ToolOrder.Execute order, Instant deadline) {
            return new ToolOrder.Accepted(null);
        }

        @Override
        public PendingOrder submit(String method, Object order, Instant deadline, Runnable onEnd) {
            onEnd.run();
            return new PendingOrder() {
                @Override
                public InstanceOrder.Outcome await() {
                    return take();
                }

                @Override
                public InstanceOrder.Outcome take() {
                    return new InstanceOrder.Outcome("any", CommandOutcome.COMPLETED, null, null);
                }
            };
        }

        @Override
        public boolean cancel(ToolOrder.Cancel order, Instant deadline) {
            return false;
        }

        @Override
        public void ack(SessionNotice.Ack ack) {}

        @Override
        public void credit(long bytes) {}

        @Override
        public void committed(String topic, long offset) {}

        @Override
        public Attach.Released release(boolean onlyIdle, Instant deadline) {
            return new Attach.Released(false, 0, 0);
        }

        @Override
        public boolean trial(@Nullable String processId, Duration atMost, Instant deadline) {
            trials.add(String.valueOf(processId));
            return processId != null;
        }

        @Override
        public void detach(boolean handOff, Duration deadline) {}

        @Override
        public void abandon() {}
    }
}
