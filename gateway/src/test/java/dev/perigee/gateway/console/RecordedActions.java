package dev.perigee.gateway.console;

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

    void refuseRecords(String why) {
        noRecords = why;
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

    @Override
    public void record(List<AuditRecord> records) throws ActionRefusedException {
        if (closed) {
            throw new ActionRefusedException(503, "The gateway ends.");
        }
        if (noRecords != null) {
            throw new ActionRefusedException(503, noRecords);
        }
        for (var record : records) {
            audits.add(record);
            order.add("audit " + record.outcome().name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public void send(Command command) throws ActionRefusedException {
        if (noCommands != null && commands.size() >= before) {
            throw new ActionRefusedException(503, noCommands);
        }
        commands.add(command);
        order.add("command " + command.commandType());
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
            public List<CommandResult> poll(Duration wait) {
                var some = new ArrayList<CommandResult>();
                try {
                    var first = results.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
                    if (first != null) {
                        some.add(first);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                results.drainTo(some);
                return some;
            }

            @Override
            public void close() {
                openResults.decrementAndGet();
            }
        };
    }

    @Override
    public void close() {
        closed = true;
    }
}
