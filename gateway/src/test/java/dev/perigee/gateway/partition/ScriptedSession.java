package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkException;
import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.LinkFailures;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.PendingAcceptance;
import dev.perigee.gateway.link.PendingOrder;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.AttachedProcess;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.ToolOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One session as an owner has it: what was asked of it, in order, and answers that the test gives
 * or has given at once. Thread-safe.
 */
final class ScriptedSession implements PartitionLink {
    /** How the worker takes calls. */
    enum Calls {
        /** It accepts each at once. */
        ACCEPTED,
        /** It takes each at once, and says nothing until the test does. */
        KEPT,
        /** It cannot take one at once, and says nothing to who waits until the test does. */
        AWAITED,
        /** A defect of the link. */
        BROKEN
    }

    /** What a worker is asked that it answers with yes or no, in words. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    final List<ScriptedCall> calls = new CopyOnWriteArrayList<>();
    final List<ScriptedOrder> orders = new CopyOnWriteArrayList<>();
    final List<SessionNotice.ProcessAck> acks = new CopyOnWriteArrayList<>();
    final List<Long> credits = new CopyOnWriteArrayList<>();

    private final PartitionClaim claim;
    private final String workerId;
    private final SessionListener listener;
    private volatile Calls taking = Calls.ACCEPTED;
    private volatile boolean obeys = true;
    private volatile int protocol = LinkVersions.SPOKEN.greatest();
    private volatile boolean agrees = true;
    private volatile Attach.Released released = new Attach.Released(true, 0, 0);
    private volatile @Nullable LinkException failure;
    private volatile @Nullable LinkException trialFailure;

    ScriptedSession(PartitionClaim claim, String workerId, SessionListener listener) {
        this.claim = claim;
        this.workerId = workerId;
        this.listener = listener;
    }

    /** It takes calls so from now on. */
    void take(Calls how) {
        taking = how;
    }

    /** Its worker speaks this version of the link. */
    void speak(int version) {
        protocol = version;
    }

    /** Whether it carries orders out at once. */
    void obey(boolean does) {
        obeys = does;
    }

    /** Whether it says yes to what it is asked. */
    void agree(boolean does) {
        agrees = does;
    }

    /** What it says to who gives it up. */
    void release(Attach.Released answer) {
        released = answer;
    }

    /** All that it is asked and ordered fails so from now on; null when nothing does. */
    void fail(@Nullable Reason reason) {
        failure = reason == null ? null : LinkFailures.of(reason, false);
    }

    /** Who asks for the place of trials hears this from now on; null for an answer. */
    void failTrials(@Nullable Reason reason) {
        trialFailure = reason == null ? null : LinkFailures.of(reason, false);
    }

    /** The worker creates it, with nothing in it. */
    void attach() {
        attach(false, List.of());
    }

    void attach(boolean resumed, List<AttachedProcess> processes, AcceptedRecord... accepted) {
        listener.attached(
                new Attach.Result(resumed, claim.epoch(), processes, List.of(accepted), null));
    }

    /** The worker has it, and is ending it. */
    void attachEnding() {
        listener.attached(new Attach.Result(true, claim.epoch(), List.of(), List.of(), true));
    }

    void event(InstanceEvent event, int creditBytes) {
        listener.event(event, creditBytes);
    }

    void suspend() {
        listener.suspended();
    }

    void fence() {
        listener.fenced(claim.epoch() + 1);
    }

    void lose(LinkFailure reason) {
        listener.lost(reason);
    }

    /** Nobody waits for its answers any more. */
    void end() {
        calls.forEach(call -> call.fail(Reason.DETACHED, true));
        orders.forEach(order -> order.fail(Reason.DETACHED));
    }

    /** Whether the group was heard of when the worker asks. */
    boolean isHeard() {
        return listener.heardAt().isPresent();
    }

    @Override
    public PartitionClaim claim() {
        return claim;
    }

    @Override
    public String workerId() {
        return workerId;
    }

    @Override
    public int protocol() {
        return protocol;
    }

    @Override
    public @Nullable Instant heldUntil() {
        return null;
    }

    @Override
    public @Nullable PendingAcceptance offer(ToolOrder.Execute order, Runnable onEnd) {
        return switch (taking) {
            case ACCEPTED -> {
                var call = new ScriptedCall(order, onEnd);
                call.accept(); // Before the test sees it, and does what is to come after that.
                calls.add(call);
                yield call;
            }
            case KEPT -> called(order, onEnd);
            case AWAITED -> null;
            case BROKEN -> throw new IllegalStateException("The test breaks the link");
        };
    }

    private ScriptedCall called(ToolOrder.Execute order, Runnable onEnd) {
        var call = new ScriptedCall(order, onEnd);
        calls.add(call);
        return call;
    }

    @Override
    public void flush() {}

    @Override
    public ToolOrder.Accepted execute(ToolOrder.Execute order, Instant deadline)
            throws LinkException, InterruptedException {
        var call = called(order, () -> {});
        switch (taking) {
            case ACCEPTED -> call.accept();
            case KEPT, AWAITED -> {}
            case BROKEN -> throw new IllegalStateException("The test breaks the link");
        }
        return call.await();
    }

    @Override
    public PendingOrder submit(String method, Object order, Instant deadline, Runnable onEnd)
            throws LinkException {
        check(failure);
        var ordered = new ScriptedOrder(method, order, onEnd);
        orders.add(ordered);
        if (obeys) {
            ordered.complete();
        }
        return ordered;
    }

    @Override
    public boolean cancel(ToolOrder.Cancel order, Instant deadline) throws LinkException {
        asked.add("cancel " + order.requestId());
        check(failure);
        return agrees;
    }

    @Override
    public void ack(SessionNotice.Ack ack) {
        acks.addAll(ack.acks());
    }

    @Override
    public void credit(long bytes) {
        credits.add(bytes);
    }

    @Override
    public void committed(String topic, long offset) {
        asked.add("committed " + topic + " " + offset);
    }

    @Override
    public Attach.Released release(boolean onlyIdle, Instant deadline) throws LinkException {
        asked.add(onlyIdle ? "release if idle" : "release");
        check(failure);
        return released;
    }

    @Override
    public boolean trial(@Nullable String processId, Duration atMost, Instant deadline)
            throws LinkException {
        asked.add("trial " + processId);
        check(trialFailure);
        return processId != null && agrees;
    }

    @Override
    public void detach(boolean handOff, Duration deadline) {
        asked.add(handOff ? "detach to hand off" : "detach");
    }

    @Override
    public void abandon() {
        asked.add("abandon");
    }

    private static void check(@Nullable LinkException failure) throws LinkException {
        if (failure != null) {
            throw failure;
        }
    }
}
