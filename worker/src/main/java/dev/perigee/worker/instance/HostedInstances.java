package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.trace.LogContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Instances of one partition, by process id. Submitting an order and ending an instance exclude
 * each other per process id, so that orders keep their order also over a removal. Safe for use by
 * any thread; only {@link #terminateAll} blocks, for its limit and a second more.
 */
final class HostedInstances implements PartitionInstances {
    private static final Logger log = LoggerFactory.getLogger(HostedInstances.class);

    private static final Duration KILL_LIMIT = Duration.ofSeconds(1);

    private final int partition;
    private final HostParts parts;
    private final JournalFactory journals;
    private final ConcurrentHashMap<String, Instance> instances = new ConcurrentHashMap<>();
    private final RequestDesk desk;
    private volatile boolean leaving;

    HostedInstances(int partition, HostParts parts, JournalFactory journals) {
        this.partition = partition;
        this.parts = parts;
        this.journals = journals;
        this.desk = new RequestDesk(instances, parts);
    }

    @Override
    public PendingOutcome apply(InstanceOrder.Apply order) {
        var config = order.config();
        var processId = config.processId();
        var refusal =
                config.transportType().isProcess()
                        ? LaunchPlan.refusal(
                                config,
                                parts.options().allowedCommands(),
                                parts.isolation().holdsReach())
                        : null;
        if (refusal != null) {
            return Settlement.of(Outcomes.rejected(processId, "not_allowed", refusal));
        }
        return submit(
                processId,
                settlement -> new Message.Apply(order, ConfigFingerprint.of(config), settlement));
    }

    @Override
    public PendingOutcome stop(InstanceOrder.Simple order) {
        return submit(order.processId(), settlement -> new Message.Stop(order, settlement));
    }

    @Override
    public PendingOutcome restart(InstanceOrder.Simple order) {
        return submit(order.processId(), settlement -> new Message.Restart(order, settlement));
    }

    @Override
    public PendingOutcome remove(InstanceOrder.Simple order) {
        return submit(order.processId(), settlement -> new Message.Remove(order, settlement));
    }

    @Override
    public PendingOutcome recover(InstanceOrder.Simple order) {
        return submit(order.processId(), settlement -> new Message.Recover(order, settlement));
    }

    @Override
    public PendingOutcome switchTool(InstanceOrder.SwitchTool order) {
        return submit(
                order.order().processId(), settlement -> new Message.SwitchTool(order, settlement));
    }

    @Override
    public PendingOutcome checkHealth(InstanceOrder.HealthCheck order) {
        return submit(
                order.order().processId(),
                settlement -> new Message.CheckHealth(order, settlement));
    }

    private PendingOutcome submit(String processId, Function<Settlement, Message.Order> maker) {
        var settlement = new Settlement(processId);
        var order = maker.apply(settlement);
        instances.compute(processId, (id, instance) -> deliver(id, instance, order));
        return settlement;
    }

    /** Under the process id's lock: the instance that is there afterwards. */
    private @Nullable Instance deliver(
            String processId, @Nullable Instance instance, Message.Order order) {
        if (leaving) {
            order.settlement().complete(Outcomes.leaving(processId));
            return instance;
        }
        var target = instance == null ? create(order) : instance;
        if (target == null) {
            order.settlement().complete(absent(processId, order));
            return null;
        }
        if (!target.mailbox().offer(order)) {
            order.settlement()
                    .complete(
                            Outcomes.failed(
                                    processId,
                                    null,
                                    "unavailable",
                                    "Too many commands wait for this instance: try again later"));
        }
        return target;
    }

    private @Nullable Instance create(Message.Order order) {
        if (!(order instanceof Message.Apply apply)) {
            return null;
        }
        var identity =
                InstanceIdentity.of(partition, apply.order().startToken(), apply.order().config());
        var created = new Instance(identity, parts, journals.open(identity), this::retire);
        created.begin();
        return created;
    }

    private static InstanceOrder.Outcome absent(String processId, Message.Order order) {
        return switch (order) {
            case Message.Remove _ ->
                    Outcomes.completed(processId, CommandDetails.removed(false, false));
            case Message.Recover _ ->
                    Outcomes.completed(processId, CommandDetails.note(null, "not found"));
            case Message.Apply _,
                    Message.Stop _,
                    Message.Restart _,
                    Message.SwitchTool _,
                    Message.CheckHealth _ ->
                    Outcomes.notFound(processId);
        };
    }

    /** An instance has ended: what was ordered after its removal goes to its successor. */
    private void retire(Instance ended) {
        instances.compute(
                ended.processId(),
                (processId, current) -> {
                    Instance successor = Objects.equals(current, ended) ? null : current;
                    for (var order : ended.mailbox().close()) {
                        successor = deliver(processId, successor, order);
                    }
                    return successor;
                });
    }

    @Override
    public ToolOrder.Accepted execute(ToolOrder.Execute order) {
        return new ToolOrder.Accepted(desk.execute(order, leaving));
    }

    @Override
    public ToolOrder.Cancelled cancel(ToolOrder.Cancel order) {
        return new ToolOrder.Cancelled(desk.cancel(order));
    }

    @Override
    public List<InstanceSnapshot> describe() {
        var snapshots = new ArrayList<InstanceSnapshot>();
        for (var instance : instances.values()) {
            var snapshot = instance.snapshot();
            if (snapshot != null) {
                snapshots.add(snapshot);
            }
        }
        return snapshots;
    }

    @Override
    public @Nullable InstanceSnapshot describe(String processId) {
        var instance = instances.get(processId);
        return instance == null ? null : instance.snapshot();
    }

    @Override
    public void terminateAll(Duration limit) {
        leaving = true;
        long deadline = System.nanoTime() + limit.toNanos();
        var all = List.copyOf(instances.values());
        // Half of the time is for those that do not heed SIGTERM.
        all.forEach(instance -> instance.leave(limit.dividedBy(2)));
        try {
            var late = new ArrayList<Instance>();
            for (var instance : all) {
                if (!instance.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()))) {
                    late.add(instance);
                }
            }
            kill(late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those that were busy until the limit, for one with ending a process of long grace. */
    private static void kill(List<Instance> late) throws InterruptedException {
        late.forEach(Instance::kill);
        long deadline = System.nanoTime() + KILL_LIMIT.toNanos();
        for (var instance : late) {
            boolean ended = instance.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()));
            log.atWarn()
                    .addKeyValue(LogContext.PROCESS_ID, instance.processId())
                    .addKeyValue(LogContext.PARTITION, instance.identity().partition())
                    .addKeyValue(LogContext.EPOCH, instance.journal().epoch())
                    .addKeyValue("ended", ended)
                    .log("Instance did not end in time: it was killed");
        }
    }
}
