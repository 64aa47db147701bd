package dev.perigee.worker.session;

import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.instance.InstanceHost;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceJournal;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.InstanceState;
import dev.perigee.worker.instance.JournalFactory;
import dev.perigee.worker.instance.PartitionInstances;
import dev.perigee.worker.instance.PendingOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Instances without processes: a test says what they do. Stands at the sessions' lower boundary.
 */
final class FakeInstances implements InstanceHost {
    final Map<String, Instance> instances = new ConcurrentHashMap<>();
    final Queue<String> orders = new ConcurrentLinkedQueue<>();
    final Queue<ToolOrder.Execute> running = new ConcurrentLinkedQueue<>();
    final AtomicInteger terminated = new AtomicInteger();
    volatile CountDownLatch mayTerminate = new CountDownLatch(0);
    private final Queue<Runnable> unsettled = new ConcurrentLinkedQueue<>();
    private volatile boolean settles = true;

    /** Errors in the outcomes of orders, by process id. */
    final Map<String, CommandError> errors = new ConcurrentHashMap<>();

    record Instance(InstanceIdentity identity, String configHash, InstanceJournal journal) {}

    Instance instance(String installationId) {
        var instance = instances.get(Orders.config(installationId).processId());
        if (instance == null) {
            throw new AssertionError("no instance of " + installationId);
        }
        return instance;
    }

    /** Orders do not end until {@link #settle}. */
    void keepUnsettled() {
        settles = false;
    }

    /** Ends all orders, in their order, and those to come at once. */
    void settle() {
        settles = true;
        for (var next = unsettled.poll(); next != null; next = unsettled.poll()) {
            next.run();
        }
    }

    /** Ends the oldest running call. */
    void finishCall(String text) {
        var order = running.remove();
        instances.values().iterator().next().journal().appendResult(order, result(text, order));
    }

    static ToolResult result(String text, ToolOrder.Execute order) {
        return new ToolResult(
                ToolResult.EVENT,
                order.request().requestId(),
                order.request().teamId(),
                order.request().userId(),
                order.processId(),
                order.request().toolPath(),
                ToolOutcome.SUCCESS,
                RawJson.of("\"" + text + "\""),
                null,
                1,
                4,
                Instant.parse("2026-11-20T10:00:01Z"));
    }

    @Override
    public PartitionInstances open(int partition, JournalFactory journals) {
        instances.clear();
        return new Partition(partition, journals);
    }

    @Override
    public void prepare(ServerConfig config) {
        orders.add("prepare " + config.installationId());
    }

    @Override
    public void close() {}

    private final class Partition implements PartitionInstances {
        private final int partition;
        private final JournalFactory journals;

        Partition(int partition, JournalFactory journals) {
            this.partition = partition;
            this.journals = journals;
        }

        @Override
        public PendingOutcome apply(InstanceOrder.Apply order) {
            orders.add("apply " + order.commandId());
            var identity = InstanceIdentity.of(partition, order.startToken(), order.config());
            var hash = ConfigFingerprint.of(order.config());
            instances.computeIfAbsent(
                    identity.processId(),
                    ignored -> new Instance(identity, hash, journals.open(identity)));
            return settle(identity.processId());
        }

        private PendingOutcome order(String name, InstanceOrder.Simple order) {
            orders.add(name + " " + order.commandId());
            return settle(order.processId());
        }

        private PendingOutcome settle(String processId) {
            var outcome =
                    new InstanceOrder.Outcome(
                            processId, CommandOutcome.COMPLETED, null, errors.get(processId));
            return then -> {
                unsettled.add(() -> then.accept(outcome));
                if (settles) {
                    FakeInstances.this.settle();
                }
            };
        }

        @Override
        public PendingOutcome stop(InstanceOrder.Simple order) {
            return order("stop", order);
        }

        @Override
        public PendingOutcome restart(InstanceOrder.Simple order) {
            return order("restart", order);
        }

        @Override
        public PendingOutcome remove(InstanceOrder.Simple order) {
            var removed = instances.remove(order.processId());
            if (removed != null) {
                removed.journal().appendRemoved();
            }
            return order("remove", order);
        }

        @Override
        public PendingOutcome recover(InstanceOrder.Simple order) {
            return order("recover", order);
        }

        @Override
        public PendingOutcome switchTool(InstanceOrder.SwitchTool order) {
            return order("switch", order.order());
        }

        @Override
        public PendingOutcome checkHealth(InstanceOrder.HealthCheck order) {
            return order("check", order.order());
        }

        @Override
        public ToolOrder.Accepted execute(ToolOrder.Execute order) {
            if (order.processId() == null) {
                var error = ToolError.of(ErrorCode.UNKNOWN_SERVER, "none", null);
                return new ToolOrder.Accepted(
                        ToolResult.refused(order.request(), null, error, Instant.EPOCH));
            }
            running.add(order);
            return new ToolOrder.Accepted(null);
        }

        @Override
        public ToolOrder.Cancelled cancel(ToolOrder.Cancel order) {
            return new ToolOrder.Cancelled(false);
        }

        @Override
        public List<InstanceSnapshot> describe() {
            return instances.values().stream().map(Partition::snapshot).toList();
        }

        @Override
        public @Nullable InstanceSnapshot describe(String processId) {
            var instance = instances.get(processId);
            return instance == null ? null : snapshot(instance);
        }

        private static InstanceSnapshot snapshot(Instance instance) {
            return new InstanceSnapshot(
                    instance.identity(),
                    TransportType.STDIO,
                    instance.configHash(),
                    InstanceState.RUNNING,
                    ServerStatus.ONLINE,
                    null,
                    null,
                    false,
                    false,
                    4711L,
                    null,
                    "unknown",
                    null,
                    0,
                    0,
                    0,
                    0,
                    null,
                    List.of(),
                    Set.of());
        }

        @Override
        public void terminateAll(Duration limit) {
            try {
                mayTerminate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            terminated.incrementAndGet();
        }
    }
}
