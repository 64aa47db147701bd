package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.RequestLog;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.log.RequestLogs;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One user's MCP server on this worker, from its first configuration until it is removed or given
 * up: a mailbox, a virtual thread that empties it, and a board that shows how things are. While
 * there is nothing to do and nothing to wait for there is no thread: what a parked one keeps of its
 * stack is more than all else of an instance that sleeps.
 */
final class Instance implements IdleSweep.Watched {
    private static final Logger log = LoggerFactory.getLogger(Instance.class);

    private final InstanceIdentity first;
    private final HostParts parts;
    private final Mailbox mailbox = new Mailbox(this::attend);
    private final ViewBoard board = new ViewBoard();
    private final RunningCalls calls = new RunningCalls();
    private final InstanceJournal journal;
    private final RequestLogs requestLogs;
    private final UsageAccount account;
    private final EndedQuestions endedQuestions = new EndedQuestions();
    private final Subscriptions subscriptions = new Subscriptions();
    private final Consumer<Instance> retired;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile boolean killed;
    private volatile @Nullable Supervisor supervisor;
    private volatile @Nullable InstanceContext context;

    /**
     * An instance whose first order is yet to come; {@code retired} is called when it has ended.
     */
    Instance(
            InstanceIdentity first,
            HostParts parts,
            InstanceJournal journal,
            Consumer<Instance> retired) {
        this.first = first;
        this.parts = parts;
        this.journal = journal;
        this.retired = retired;
        this.account = parts.usage().account(first.processId(), journal);
        this.requestLogs =
                new RequestLogs(
                        parts.options().logs(),
                        parts.timers(),
                        event -> journal.append(event, pid(), null));
    }

    /** From now on it is looked at whether it is idle, and what it uses. Called once. */
    void begin() {
        parts.sweep().watch(this);
        parts.usage().watch(account);
    }

    private void attend() {
        Thread.ofVirtual().name("instance-" + processId()).start(this::run);
    }

    String processId() {
        return first.processId();
    }

    /** Whose instance it is, also before its first configuration was looked at. */
    InstanceIdentity identity() {
        var view = board.current();
        return view == null ? first : view.identity();
    }

    HostParts parts() {
        return parts;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    ViewBoard board() {
        return board;
    }

    RunningCalls calls() {
        return calls;
    }

    InstanceJournal journal() {
        return journal;
    }

    RequestLogs requestLogs() {
        return requestLogs;
    }

    UsageAccount account() {
        return account;
    }

    EndedQuestions endedQuestions() {
        return endedQuestions;
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    /**
     * A call of a tool has its result, which is in the log of requests where the configuration
     * wants one.
     *
     * @param tool null for other requests, which are in no log
     */
    void logRequest(ToolOrder.Execute order, @Nullable String tool, ToolResult result) {
        var view = board.current();
        if (tool == null || view == null || !view.config().logsRequests()) {
            return;
        }
        var error = result.error();
        requestLogs.add(
                new RequestLog(
                        order.request().userId(),
                        tool,
                        order.request().arguments(),
                        result.result(),
                        result.durationMs(),
                        result.outcome() == ToolOutcome.SUCCESS,
                        error == null ? null : error.message(),
                        result.timestamp()),
                view.config().requestLogValues());
    }

    private @Nullable Long pid() {
        var view = board.current();
        return view == null || view.run() == null ? null : view.run().pid();
    }

    private void run() {
        thread = Thread.currentThread(); // Then looks whether it was killed, as kill does in turn.
        LogContext.put(LogContext.PROCESS_ID, processId());
        LogContext.put(LogContext.PARTITION, first.partition());
        boolean goesOn = false;
        try {
            goesOn = work();
        } catch (InterruptedException e) {
            var current = supervisor;
            if (current != null) {
                current.abort();
            }
        } finally {
            if (!goesOn) {
                parts.sweep().forget(this);
                parts.usage().forget(account);
                account.close(false);
                retired.accept(this);
                ended.countDown();
            }
        }
    }

    /** Handles what there is; false when the instance has ended, and its thread with it. */
    private boolean work() throws InterruptedException {
        do {
            var current = supervisor;
            var due = current == null ? null : current.dueNanos();
            if (due == null && mailbox.dismiss()) {
                return true;
            }
            if (killed) {
                throw new InterruptedException("The time for an orderly end is over");
            }
            if (!step(due)) {
                return false;
            }
        } while (true);
    }

    /** Handles one message; false when the instance has ended. */
    private boolean step(@Nullable Long dueNanos) throws InterruptedException {
        var message = mailbox.take(dueNanos);
        if (message == null) {
            message = new Message.Due();
        }
        LogContext.put(LogContext.EPOCH, journal.epoch());
        try {
            return handle(message);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", processId())
                    .addKeyValue("message", message.getClass().getSimpleName())
                    .setCause(e)
                    .log("Instance failed to handle a message");
            if (message instanceof Message.Order order) {
                order.settlement()
                        .complete(
                                Outcomes.failed(
                                        processId(), null, "internal", "See the worker's log"));
            }
            return true;
        }
    }

    private boolean handle(Message message) throws InterruptedException {
        var current = supervisor;
        if (current == null) {
            if (!(message instanceof Message.Apply first)) {
                return leaveBeforeStart(message);
            }
            var created =
                    new InstanceContext(
                            parts, journal, account, mailbox, board, subscriptions, first);
            context = created;
            current = new Supervisor(created, requestLogs, calls);
            supervisor = current;
        }
        current.handle(message);
        return !current.ended();
    }

    /** Nothing but a configuration makes an instance. */
    private boolean leaveBeforeStart(Message message) {
        if (message instanceof Message.Order order) {
            order.settlement().complete(Outcomes.notFound(processId()));
        }
        return !(message instanceof Message.Leave);
    }

    @Override
    public IdlePolicy.@Nullable Usage usage() {
        var known = context;
        return known == null ? null : known.usage(calls);
    }

    @Override
    public void seemsIdle() {
        mailbox.post(new Message.Idle());
    }

    /** The instance as it is now, null before its first configuration was looked at. */
    @Nullable InstanceSnapshot snapshot() {
        var view = board.current();
        var known = context;
        return view == null || known == null
                ? null
                : Snapshots.of(view, known.metrics, calls.count());
    }

    /** Has everything ended; {@link #awaitEnd} waits for it. */
    void leave(Duration limit) {
        mailbox.post(new Message.Leave(limit));
    }

    /** The time for an orderly end is over: kills the process, whatever is being done. */
    void kill() {
        killed = true;
        mailbox.nudge();
        var current = thread;
        if (current != null) {
            current.interrupt();
        }
    }

    /** Waits until it has ended and all calls are answered; false when time ran out. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        if (!ended.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        calls.awaitNone(Duration.ofNanos(deadline - System.nanoTime()));
        return calls.count() == 0;
    }
}
