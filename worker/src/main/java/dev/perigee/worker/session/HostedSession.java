package dev.perigee.worker.session;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.PartitionInstances;
import dev.perigee.worker.instance.PendingOutcome;
import dev.perigee.worker.session.AcceptedRecords.Verdict;
import java.time.Duration;
import java.util.List;

/**
 * Instances of one partition, their journals and what was accepted for them, from the attach that
 * created it until it expires. Its {@link PartitionSlot} decides who owns it and calls what a
 * gateway asks for under its lock; none of that waits.
 */
final class HostedSession {
    private final int partition;
    private final long createdEpoch;
    private final SessionContext context;
    private final SessionRequests requests;
    private final SessionJournals journals;
    private final AcceptedOrders orders = new AcceptedOrders();
    private final PartitionInstances instances;
    private volatile boolean over;

    HostedSession(int partition, long createdEpoch, SessionContext context) {
        this.partition = partition;
        this.createdEpoch = createdEpoch;
        this.context = context;
        this.requests =
                new SessionRequests(
                        new RecentResults(
                                context.options().recentResults(),
                                context.requestIds(),
                                context.results()),
                        context.permits(),
                        context.clock());
        this.journals = new SessionJournals(requests, context);
        this.instances = context.instances().open(partition, journals);
    }

    /** Answers an attach and sends what follows on the same stream. */
    void attach(
            LinkPeer peer,
            Attach.Request request,
            long requestId,
            boolean resumed,
            boolean ending) {
        journals.detach();
        // Before what was accepted: a question that comes in between is news, or held, or both.
        var processes = journals.describe(instances.describe());
        var accepted = requests.list();
        var result =
                new Attach.Result(resumed, createdEpoch, processes, accepted, ending ? true : null);
        peer.attached(requestId, result);
        journals.attach("feed-" + partition + "-" + request.epoch(), peer, request);
    }

    void detach() {
        journals.detach();
    }

    void acknowledge(SessionNotice.Ack ack) {
        journals.acknowledge(ack);
        context.acknowledged().happened();
    }

    void grant(SessionNotice.Credit credit) {
        journals.grant(credit.bytes());
    }

    void commit(SessionNotice.Committed committed) {
        requests.commit(committed.topic(), partition, committed.offset());
        orders.commit(committed.topic(), partition, committed.offset());
    }

    /**
     * Runs a request, unless it did before.
     *
     * @throws LinkRefusal when too many run already: the request is not remembered
     */
    ToolOrder.Accepted execute(ToolOrder.Execute order) throws LinkRefusal {
        return switch (requests.offer(order)) {
            case Verdict.Run ignored -> run(order);
            case Verdict.Known ignored -> new ToolOrder.Accepted(null);
            case Verdict.Repeat repeat ->
                    journals.repeat(order, repeat)
                            ? new ToolOrder.Accepted(null)
                            : unrecalled(order);
            case Verdict.Unrecalled ignored -> unrecalled(order);
            case Verdict.NoRoom ignored ->
                    throw new LinkRefusal(
                            LinkError.OVERLOADED,
                            "it has no room to remember more request ids, and a repeat must not run"
                                    + " twice: raise requests.repeat-memory");
        };
    }

    private ToolOrder.Accepted run(ToolOrder.Execute order) {
        boolean kept = false;
        try {
            var accepted = instances.execute(order);
            var answered = accepted.answered();
            kept = answered == null;
            if (answered != null) {
                context.metrics().call(answered);
            }
            return accepted;
        } finally {
            if (!kept) {
                requests.withdraw(order);
            }
        }
    }

    private ToolOrder.Accepted unrecalled(ToolOrder.Execute order) {
        var error =
                ToolError.of(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "This request_id was answered before and that answer is not kept any more:"
                                + " read it from tool-results, or ask under another id",
                        null);
        return new ToolOrder.Accepted(
                ToolResult.refused(
                        order.request(), order.processId(), error, context.clock().instant()));
    }

    ToolOrder.Cancelled cancel(ToolOrder.Cancel cancel) {
        return instances.cancel(cancel);
    }

    PendingOutcome apply(String method, InstanceOrder.Apply order) {
        return orders.submit(
                order.origin(), method, order.config().processId(), () -> instances.apply(order));
    }

    PendingOutcome submit(String method, InstanceOrder.Simple order, Submission submission) {
        return orders.submit(
                order.origin(), method, order.processId(), () -> submission.to(instances));
    }

    /** Hands an order to the instances. */
    @FunctionalInterface
    interface Submission {
        PendingOutcome to(PartitionInstances instances);
    }

    /** The epoch of the owner, or of the last one. */
    long epoch() {
        return journals.epoch();
    }

    List<InstanceSnapshot> instances() {
        return instances.describe();
    }

    /** How many instances have a process, or are about to. */
    int processes() {
        return Math.toIntExact(
                instances.describe().stream().filter(HostedSession::hasProcess).count());
    }

    private static boolean hasProcess(InstanceSnapshot instance) {
        return switch (instance.state()) {
            case STARTING, TERMINATING -> true;
            case RUNNING -> instance.pid() != null;
            case TERMINATED, FAILED -> false;
        };
    }

    int journalEntries() {
        return journals.entries();
    }

    long journalBytes() {
        return journals.bytes();
    }

    int runningRequests() {
        return requests.runningCount();
    }

    /** Ends all instances, waiting for it; what they say is journalled for who is attached. */
    void terminate(Duration limit) {
        instances.terminateAll(limit);
    }

    /** Forgets request ids that may be used again. */
    void forgetOld() {
        requests.forgetOld();
    }

    /** True once the session has ended. */
    boolean isOver() {
        return over;
    }

    /** Drops the journals and what is remembered of requests. */
    void drop() {
        over = true;
        journals.end();
        requests.end();
    }
}
