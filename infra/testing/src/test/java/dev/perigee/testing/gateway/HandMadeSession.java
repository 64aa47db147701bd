package dev.perigee.testing.gateway;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.PendingAcceptance;
import dev.perigee.gateway.link.PendingOrder;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder.Apply;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.link.InstanceOrder.Simple;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice.Ack;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A partition's session on the hand-made worker. One thread speaks to listeners, in order. */
final class HandMadeSession {
    private final HandMadeFleet fleet;
    private final long createdEpoch;
    private final Map<String, Apply> instances = new LinkedHashMap<>();
    private final Map<String, Long> sequences = new LinkedHashMap<>();
    private final List<InstanceEvent> journal = new ArrayList<>();
    private final List<ToolOrder.Execute> silent = new ArrayList<>();
    private final List<Attach.AcceptedRecord> accepted = new ArrayList<>();
    private final ExecutorService speaker =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
    private final int partition;
    private boolean created = true;
    private boolean ending;
    private long epoch = -1;
    private @Nullable SessionListener listener;

    HandMadeSession(HandMadeFleet fleet, PartitionClaim claim) {
        this.fleet = fleet;
        this.createdEpoch = claim.epoch();
        this.partition = claim.partition();
    }

    synchronized PartitionLink attach(PartitionClaim claim, SessionListener next) {
        var before = listener;
        if (claim.epoch() <= epoch) {
            say(() -> next.fenced(epoch));
            return new Link(claim);
        }
        if (before != null && !fleet.tellsNobodyOfSuccessors) {
            say(() -> before.fenced(claim.epoch()));
        }
        epoch = claim.epoch();
        listener = next;
        var processes =
                instances.values().stream()
                        .map(
                                apply ->
                                        new Attach.AttachedProcess(
                                                apply.config().processId(),
                                                apply.startToken(),
                                                ConfigFingerprint.of(apply.config()),
                                                "running",
                                                ServerStatus.ONLINE,
                                                0,
                                                0,
                                                null,
                                                null))
                        .toList();
        var result = new Attach.Result(!created, createdEpoch, processes, accepted, null);
        created = false;
        var replay = List.copyOf(journal);
        say(
                () -> {
                    next.attached(result);
                    awaitReplays();
                    replay.forEach(event -> next.event(event, 1));
                });
        return new Link(claim);
    }

    private void awaitReplays() {
        try {
            fleet.replays.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** That of the gateway which attached last. */
    synchronized long epoch() {
        return epoch;
    }

    synchronized void lose(LinkFailure reason) {
        var told = listener;
        listener = null;
        if (told != null) {
            say(() -> told.lost(reason));
        }
    }

    synchronized void answerAll() {
        silent.forEach(this::answer);
        silent.clear();
    }

    /** Running calls end as unknown, and the session when its journal is acknowledged. */
    synchronized void endWhenHeard() {
        ending = true;
        silent.forEach(this::answerUnknown);
        silent.clear();
        endIfHeard();
    }

    private void endIfHeard() {
        if (ending && journal.isEmpty()) {
            ending = false;
            fleet.ended(this, partition);
        }
    }

    /** Appends an entry, and tells it when a gateway is attached. */
    synchronized void emit(
            String processId,
            EventType type,
            String key,
            @Nullable RawJson data,
            @Nullable RawJson durable,
            ToolOrder.@Nullable Execute call) {
        var apply = instances.get(processId);
        emit(processId, apply == null ? 0 : apply.startToken(), type, key, data, durable, call);
    }

    private void emit(
            String processId,
            long startToken,
            EventType type,
            String key,
            @Nullable RawJson data,
            @Nullable RawJson durable,
            ToolOrder.@Nullable Execute call) {
        long seq = sequences.merge(processId, 1L, Long::sum);
        var event =
                new InstanceEvent(
                        partition,
                        processId,
                        startToken,
                        seq,
                        type.wireName(),
                        key,
                        data,
                        durable,
                        call == null ? null : call.origin(),
                        call == null ? null : call.reply(),
                        null,
                        null);
        journal.add(event);
        var told = listener;
        if (told != null) {
            say(() -> told.event(event, 1));
        }
    }

    synchronized List<InstanceEvent> unacknowledged() {
        return List.copyOf(journal);
    }

    private void answer(ToolOrder.Execute call) {
        var request = call.request();
        answer(
                call,
                new ToolResult(
                        ToolResult.EVENT,
                        request.requestId(),
                        request.teamId(),
                        request.userId(),
                        call.processId(),
                        request.toolPath(),
                        ToolOutcome.SUCCESS,
                        request.arguments(),
                        null,
                        1,
                        1,
                        Instant.now()));
    }

    private void answerUnknown(ToolOrder.Execute call) {
        var error = ToolError.of(ErrorCode.OUTCOME_UNKNOWN, "it may have run", null);
        answer(call, ToolResult.refused(call.request(), call.processId(), error, Instant.now()));
    }

    private void answer(ToolOrder.Execute call, ToolResult result) {
        var request = call.request();
        emit(
                call.processId() == null ? "none" : call.processId(),
                EventType.TOOL_RESULT,
                request.requestId(),
                Json.raw(result),
                null,
                call);
    }

    private void say(Runnable work) {
        speaker.execute(work);
    }

    private final class Link implements PartitionLink {
        private final PartitionClaim claim;

        Link(PartitionClaim claim) {
            this.claim = claim;
        }

        @Override
        public PartitionClaim claim() {
            return claim;
        }

        @Override
        public @Nullable Instant heldUntil() {
            return null;
        }

        @Override
        public String workerId() {
            return HandMadeFleet.WORKER;
        }

        @Override
        public int protocol() {
            return LinkVersions.SPOKEN.greatest();
        }

        @Override
        public @Nullable PendingAcceptance offer(ToolOrder.Execute order, Runnable onEnd) {
            return null;
        }

        @Override
        public void flush() {}

        @Override
        public ToolOrder.Accepted execute(ToolOrder.Execute order, Instant deadline)
                throws LinkException {
            synchronized (HandMadeSession.this) {
                if (listener == null) {
                    throw new LinkException(
                            LinkException.Reason.LOST,
                            LinkFailure.INCARNATION_CHANGED,
                            false,
                            "the session is gone");
                }
                if (order.again() && !HandMadeFleet.isHarmless(order)) {
                    answerUnknown(order);
                    return new ToolOrder.Accepted(null);
                }
                fleet.executed.add(order);
                accepted.add(new Attach.AcceptedRecord(order.origin(), Attach.Progress.RUNNING));
                if (fleet.calls == HandMadeFleet.Calls.ANSWER) {
                    answer(order);
                } else {
                    silent.add(order);
                }
                return new ToolOrder.Accepted(null);
            }
        }

        @Override
        public PendingOrder submit(String method, Object order, Instant deadline, Runnable onEnd) {
            synchronized (HandMadeSession.this) {
                fleet.orders.add(method);
                var outcome =
                        switch (order) {
                            case Apply apply -> CompletableFuture.completedFuture(applied(apply));
                            case Simple simple -> simple(method, simple);
                            default -> throw new AssertionError(method);
                        };
                var _ = outcome.thenRun(onEnd);
                return new PendingOrder() {
                    @Override
                    public Outcome await() {
                        return outcome.join();
                    }

                    @Override
                    public Outcome take() {
                        return outcome.join();
                    }
                };
            }
        }

        private Outcome applied(Apply apply) {
            fleet.applied.add(apply);
            var processId = apply.config().processId();
            instances.put(processId, apply);
            emit(
                    processId,
                    EventType.STATUS_CHANGED,
                    processId,
                    RawJson.of("{\"status\":\"online\"}"),
                    RawJson.of("{\"crashes\":0}"),
                    null);
            return new Outcome(
                    processId,
                    CommandOutcome.COMPLETED,
                    CommandDetails.status(ServerStatus.ONLINE, null),
                    null);
        }

        private CompletableFuture<Outcome> simple(String method, Simple order) {
            var processId = order.processId();
            var completed =
                    new Outcome(
                            processId,
                            CommandOutcome.COMPLETED,
                            CommandDetails.removed(true, false),
                            null);
            if (!method.equals("instance/remove")) {
                return CompletableFuture.completedFuture(completed);
            }
            return CompletableFuture.supplyAsync(
                    () -> {
                        awaitRemovals();
                        removed(order);
                        return completed;
                    },
                    work -> Thread.ofVirtual().start(work));
        }

        private void awaitRemovals() {
            try {
                fleet.removals.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void removed(Simple order) {
            synchronized (HandMadeSession.this) {
                var processId = order.processId();
                emit(processId, order.startToken(), EventType.REMOVED, processId, null, null, null);
                instances.computeIfPresent(
                        processId,
                        (_, apply) -> apply.startToken() == order.startToken() ? null : apply);
            }
        }

        @Override
        public boolean cancel(ToolOrder.Cancel order, Instant deadline) {
            return false;
        }

        @Override
        public Attach.Released release(boolean onlyIdle, Instant deadline) {
            fleet.released(HandMadeSession.this, claim.partition());
            return new Attach.Released(true, 0, 0);
        }

        @Override
        public boolean trial(@Nullable String processId, Duration atMost, Instant deadline) {
            fleet.trials.add(String.valueOf(processId));
            return processId != null;
        }

        @Override
        public void ack(Ack ack) {
            synchronized (HandMadeSession.this) {
                for (var one : ack.acks()) {
                    journal.removeIf(
                            event ->
                                    event.processId().equals(one.processId())
                                            && event.seq() <= one.seq());
                }
                endIfHeard();
            }
        }

        @Override
        public void credit(long bytes) {}

        @Override
        public void committed(String topic, long offset) {
            synchronized (HandMadeSession.this) {
                accepted.removeIf(
                        record ->
                                record.origin().topic().equals(topic)
                                        && record.origin().offset() < offset);
            }
        }

        @Override
        public void detach(boolean handOff, Duration deadline) {
            synchronized (HandMadeSession.this) {
                if (claim.epoch() == epoch) {
                    listener = null;
                }
            }
        }

        @Override
        public void abandon() {
            detach(false, Duration.ZERO);
        }
    }
}
