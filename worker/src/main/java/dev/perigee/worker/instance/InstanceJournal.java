package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolResult;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the backend must learn of one instance, in order; implemented by the session.
 * Numbering and queueing happen in one step inside each append, so wire order is the order of the
 * calls. Any thread may call; no method blocks. The instance's supervisor appends its events, the
 * threads of its calls their results.
 */
public interface InstanceJournal {

    /** The epoch of the gateway that owns the partition, or was the last to; for logs. */
    long epoch();

    /** Entries from now on are about this identity: a newer configuration was applied. */
    void identify(InstanceIdentity identity);

    /**
     * Appends an event.
     *
     * @param pid the process that it is about, null where there is none
     * @param durable what a later owner must know of the instance once this entry is public, null
     *     when it changes nothing
     */
    void append(EventBody body, @Nullable Long pid, @Nullable RawJson durable);

    /**
     * The same, for an entry that somebody waits for.
     *
     * @param acknowledged called once, when a gateway has made the entry public and what it changes
     *     durable; never where the journal ends before that. Any thread, must not block
     */
    void append(
            EventBody body, @Nullable Long pid, @Nullable RawJson durable, Runnable acknowledged);

    /**
     * Whether the gateway that is attached, or was the last to be, knows events of that type; one
     * that does not publishes none of them.
     */
    boolean reaches(EventType type);

    /**
     * Appends what happens in a running call, before its result; dropped where the journal has
     * little room.
     *
     * @param pid the process that runs it, null where there is none
     */
    void appendCallEvent(ToolOrder.Execute order, EventBody body, @Nullable Long pid);

    /**
     * Appends what a server notifies of by itself; dropped where the journal has little room.
     *
     * @param pid the process that it is of, null where there is none
     */
    void appendNotice(EventBody body, @Nullable Long pid);

    /**
     * Appends a question of a running call, or a state of its task, which is neither left out nor
     * evicted then.
     *
     * @param held by which the call can go on at another worker, from now on until {@link #holds}
     *     says otherwise; null where it cannot
     * @return false where the journal has little room: nothing was appended
     */
    boolean appendQuestion(
            ToolOrder.Execute order,
            EventBody body,
            @Nullable Long pid,
            @Nullable HeldQuestion held);

    /**
     * Notes for a later owner, without an entry, that a running call waits with this question; or,
     * where it is null, that no other worker can resume it.
     */
    void holds(ToolOrder.Execute order, @Nullable HeldQuestion held);

    /**
     * A call that waits with such a question has no result here, since the instance is abandoned:
     * its permits are released.
     */
    void handOver(ToolOrder.Execute order);

    /**
     * Whether the gateway that is attached, or was the last to be, resumes calls at other workers.
     */
    boolean handsOver();

    /**
     * Appends a record of usage, which the next one can take up while it waits.
     *
     * @return false, and nothing was appended, while the record before is not acknowledged, or the
     *     gateway that is attached, or was the last to be, does not know such records
     */
    boolean appendUsage(EventBody.Usage usage);

    /**
     * A result of so many bytes was read that is yet to be appended, or dropped. It counts as if it
     * were appended, so that the valve closes as soon as too much is read.
     */
    void expect(long bytes);

    /** A result that was expected is appended, or will not be. */
    void expectNoMore(long bytes);

    /** Appends the result of an accepted request; called exactly once for each. */
    void appendResult(ToolOrder.Execute order, ToolResult result);

    /** Appends that the instance is gone for good. The last call but for results under way. */
    void appendRemoved();

    /**
     * Whether a new call may be accepted. False while the journal is full and its policy is to
     * pause: the call is then answered {@code overloaded}.
     */
    boolean acceptsCalls();

    /**
     * Says where to close and open the child's output when the journal fills and drains. Called
     * once, before the first append. The valve's methods do not block and may be called under the
     * journal's lock.
     */
    void controls(OutputValve valve);

    /** Stops and resumes what fills a journal. */
    interface OutputValve {
        /** Backpressure: the journal is full, stop reading the child's output. */
        void pause();

        /** There is room again. */
        void resume();

        /** Whether what it stops is logged, and nothing else: then it waits for log lines too. */
        boolean carriesLogs();

        /**
         * Output was evicted before a gateway read it.
         *
         * @param pid the process whose output it was, null where there was none
         */
        void missed(@Nullable Long pid);
    }
}
