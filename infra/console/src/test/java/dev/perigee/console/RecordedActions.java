package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.audit.AuditOutcome;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Log in memory: each command that is sent completes, or fails where its process is told to. */
final class RecordedActions implements ActionLog {
    private final List<String> order = new CopyOnWriteArrayList<>();
    private final List<AuditRecord> audits = new CopyOnWriteArrayList<>();
    private final List<Command> commands = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<CommandResult> results = new LinkedBlockingQueue<>();
    private final AtomicInteger openResults = new AtomicInteger();
    private volatile CommandOutcome outcome = CommandOutcome.COMPLETED;
    private volatile @Nullable String noRecords;
    private volatile @Nullable String noCommands;
    private volatile int before;
    private volatile boolean closed;
    private volatile boolean holdsRecording;
    private volatile boolean partly;
    private volatile boolean interruptsFailed;
    private volatile boolean failsToClose;
    private volatile boolean broken;
    private volatile int held = Integer.MAX_VALUE;
    private final CountDownLatch holding = new CountDownLatch(1);

    void refuseRecords(String why) {
        noRecords = why;
    }

    /** Interrupts whoever records the next that failed. */
    void interruptFailed() {
        interruptsFailed = true;
    }

    void failToClose() {
        failsToClose = true;
    }

    /** Ends whoever sends a command by an error. */
    void breakCommands() {
        broken = true;
    }

    /** Records all but the last of the next ones, and refuses. */
    void recordPartly() {
        partly = true;
    }

    void refuseCommands(String why) {
        refuseCommandsAfter(0, why);
    }

    /** Sends so many, and no more. */
    void refuseCommandsAfter(int sent, String why) {
        before = sent;
        noCommands = why;
    }

    void end(CommandOutcome with) {
        outcome = with;
    }

    /** What was written, in order. */
    List<String> order() {
        return order;
    }

    List<AuditRecord> audits() {
        return audits;
    }

    List<Command> commands() {
        return commands;
    }

    /** Adds to what was written. */
    void note(String what) {
        order.add(what);
    }

    int openResults() {
        return openResults.get();
    }

    /** Holds the next recording, or each command after so many, until its thread is interrupted. */
    void holdRecording() {
        holdsRecording = true;
    }

    void holdCommandsAfter(int sent) {
        held = sent;
    }

    /** Leaves commands without results. */
    void answerNothing() {
        outcome = CommandOutcome.ACKNOWLEDGED;
    }

    /** Returns when something is held. */
    void awaitHeld() throws InterruptedException {
        assertThat(holding.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void hold() throws InterruptedException {
        holding.countDown();
        new CountDownLatch(1).await();
    }

    @Override
    public void record(List<AuditRecord> records)
            throws ActionRefusedException, InterruptedException {
        if (closed) {
            throw new ActionRefusedException(503, "The gateway ends.");
        }
        if (noRecords != null) {
            throw new ActionRefusedException(503, noRecords);
        }
        for (var record : records) {
            if (partly && record.equals(records.getLast())) {
                partly = false;
                throw new ActionRefusedException(503, "partly recorded");
            }
            audits.add(record);
            order.add("audit " + record.outcome().name().toLowerCase(Locale.ROOT));
        }
        if (interruptsFailed && records.getLast().outcome() == AuditOutcome.FAILED) {
            interruptsFailed = false;
            throw new InterruptedException();
        }
        if (holdsRecording) {
            holdsRecording = false;
            hold();
        }
    }

    @Override
    public void send(Command command) throws ActionRefusedException, InterruptedException {
        if (noCommands != null && commands.size() >= before) {
            throw new ActionRefusedException(503, noCommands);
        }
        if (broken) {
            throw new AssertionError("broken");
        }
        commands.add(command);
        order.add("command " + command.commandType());
        if (commands.size() > held) {
            hold(); // As a producer: what is interrupted there is sent all the same.
        }
        results.add(
                new CommandResult(
                        CommandResult.EVENT,
                        command.id(),
                        null,
                        outcome,
                        null,
                        null,
                        null,
                        Instant.EPOCH));
    }

    @Override
    public Results results() {
        openResults.incrementAndGet();
        return new Results() {
            @Override
            public List<CommandResult> poll(Duration wait) throws InterruptedException {
                var some = new ArrayList<CommandResult>();
                var first = results.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    some.add(first);
                }
                results.drainTo(some);
                return some;
            }

            @Override
            public void close() {
                openResults.decrementAndGet();
                if (failsToClose) {
                    throw new IllegalStateException("not closed");
                }
            }
        };
    }

    @Override
    public void close() {
        closed = true;
    }
}
