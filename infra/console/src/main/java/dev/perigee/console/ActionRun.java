package dev.perigee.console;

import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.ServerStatus;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Run of one action over its instances: so many at a time, the next when these have their results
 * and a second is over. Each is recorded before its command is sent. Ends where none of a time came
 * right: what is wrong there is wrong with the rest. What was recorded and then not sent is
 * recorded as failed; what is just being sent when it is stopped counts as begun, since it may run.
 * {@link #begin} and {@link #run} are for one thread, the progress for any.
 */
final class ActionRun implements LongAction {
    private static final Logger LOG = LoggerFactory.getLogger(ActionRun.class);

    /** Instances at a time, and a second. */
    static final int RATE = 10;

    /** How long a command may take. */
    static final Duration DEADLINE = Duration.ofMinutes(2);

    private static final Duration POLL = Duration.ofMillis(200);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String requestId;
    private final AuditAction action;
    private final List<Step> steps;
    private final ActionLog log;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final ActionTally tally = new ActionTally();

    /** Of its thread: recorded, and not sent as far as is known. */
    private final List<Step> unsent = new ArrayList<>();

    private ActionLog.@Nullable Results results;
    private volatile String stop = GATEWAY_ENDS;
    private int begun;

    /**
     * One instance of a run.
     *
     * @param process its id
     */
    record Step(String process, AuditRecord audit, Command command) {}

    ActionRun(
            String requestId,
            AuditAction action,
            List<Step> steps,
            ActionLog log,
            InstantSource clock) {
        this.requestId = requestId;
        this.action = action;
        this.steps = List.copyOf(steps);
        this.log = log;
        this.clock = clock;
    }

    @Override
    public ActionProgress progress() {
        lock.lock();
        try {
            return tally.progress(requestId, action, steps.size(), begun);
        } finally {
            lock.unlock();
        }
    }

    /** Records the first ones. */
    @Override
    public void begin() throws ActionRefusedException, InterruptedException {
        ActionLog.Results opened = null;
        try {
            opened = log.results();
            record(chunk(0));
            results = opened;
        } catch (InterruptedException e) {
            end(stop);
            throw e;
        } finally {
            if (results == null && opened != null) {
                opened.close();
            }
        }
    }

    @Override
    public void stopFor(String why) {
        stop = why;
    }

    @Override
    public void run() {
        try (var results = Objects.requireNonNull(this.results, "not begun")) {
            for (int at = 0; at < steps.size(); at += RATE) {
                long start = System.nanoTime();
                var chunk = chunk(at);
                if (at > 0) {
                    record(chunk);
                }
                int right = act(chunk, results);
                int left = steps.size() - at - chunk.size();
                if (right == 0 && left > 0) {
                    end("None of these came right: %d more are left as they are.".formatted(left));
                    return;
                }
                if (left > 0) {
                    long rest = SECOND_NANOS - (System.nanoTime() - start);
                    TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
                }
            }
            end(null);
        } catch (ActionRefusedException e) {
            end(e.reason());
        } catch (InterruptedException e) {
            end(stop + " What was begun goes on, the rest is left as it is.");
        } catch (RuntimeException e) {
            end("An internal error ended it: see the gateway's log.");
            throw e;
        }
    }

    private List<Step> chunk(int at) {
        return steps.subList(at, Math.min(steps.size(), at + RATE));
    }

    private void record(List<Step> chunk) throws ActionRefusedException, InterruptedException {
        unsent.addAll(chunk);
        try {
            log.record(chunk.stream().map(Step::audit).toList());
        } catch (ActionRefusedException e) {
            takeBack(e.reason()); // Some of them may be there.
            throw e;
        }
    }

    /** Sends one by one: those before one that fails will be done. Returns how many came right. */
    private int act(List<Step> chunk, ActionLog.Results results)
            throws ActionRefusedException, InterruptedException {
        for (int i = 0; i < chunk.size(); i++) {
            throwIfStopped();
            try {
                log.send(renewed(chunk.get(i).command()));
            } catch (InterruptedException e) {
                begun();
                throw e;
            } catch (ActionRefusedException e) {
                takeBack(e.reason());
                throwIfStopped();
                await(chunk.subList(0, i), results);
                throw e;
            }
            begun();
        }
        return await(chunk, results);
    }

    private static void throwIfStopped() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void begun() {
        unsent.removeFirst();
        lock.lock();
        try {
            begun++;
        } finally {
            lock.unlock();
        }
    }

    /** A command's time is from when it is sent. */
    private Command renewed(Command command) {
        var now = clock.instant();
        return new Command(
                command.id(),
                command.commandType(),
                command.priority(),
                command.correlationId(),
                now,
                now.plus(DEADLINE),
                command.payload());
    }

    /** Returns how many came right. */
    private int await(List<Step> chunk, ActionLog.Results results)
            throws ActionRefusedException, InterruptedException {
        Map<String, Step> open = new HashMap<>();
        chunk.forEach(step -> open.put(step.command().id(), step));
        int right = 0;
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!open.isEmpty() && System.nanoTime() - end < 0) {
            throwIfStopped();
            for (var result : results.poll(POLL)) {
                var step =
                        result.outcome() == CommandOutcome.ACKNOWLEDGED
                                ? null
                                : open.remove(result.commandId());
                if (step != null) {
                    boolean fine = isFine(result);
                    right += fine ? 1 : 0;
                    ended(step, fine, text(result));
                }
            }
        }
        open.values()
                .forEach(
                        step ->
                                ended(
                                        step,
                                        false,
                                        "no result within " + DEADLINE.toSeconds() + " s"));
        return right;
    }

    private void ended(Step step, boolean fine, String text) {
        lock.lock();
        try {
            tally.ended(step.process(), fine, text);
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable String why) {
        if (why != null) {
            takeBack(why);
        }
        lock.lock();
        try {
            tally.close(why);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records as failed what was recorded and not sent; where that cannot be, it stays accepted.
     */
    private void takeBack(String why) {
        var left = unsent.stream().map(step -> step.audit().failed(why, clock.instant())).toList();
        unsent.clear();
        try {
            if (!left.isEmpty()) {
                log.recordToTheEnd(left);
            }
        } catch (ActionRefusedException | InterruptedException e) {
            LOG.atWarn()
                    .addKeyValue("request_id", requestId)
                    .addKeyValue("targets", left.size())
                    .log(
                            "What was not done of an action could not be recorded: {}",
                            e.getMessage());
        }
    }

    private boolean isFine(CommandResult result) {
        var details = result.result();
        var status = details == null ? null : details.resultingStatus();
        return result.outcome() == CommandOutcome.COMPLETED
                && (!action.starts() || status == null || status == ServerStatus.ONLINE);
    }

    private static String text(CommandResult result) {
        var text = new ArrayList<String>();
        text.add(result.outcome().name().toLowerCase(Locale.ROOT));
        var details = result.result();
        if (details != null && details.resultingStatus() != null) {
            text.add(details.resultingStatus().wireName());
        }
        if (details != null && details.note() != null) {
            text.add(details.note());
        }
        if (result.error() != null) {
            text.add(result.error().message());
        } else if (details != null && details.statusMessage() != null) {
            text.add(details.statusMessage());
        }
        return String.join(", ", text);
    }
}
