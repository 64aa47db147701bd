package dev.perigee.console;

import dev.perigee.gateway.deadletter.Redriven;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Redrive of some dead letters: all are recorded before the first is put back, and those that were
 * not are recorded as failed. {@link #run} is for one thread, the progress for any.
 */
final class RedriveRun implements LongAction {
    private static final String UNSURE =
            " Whether it was put back says its mark on dead-letters; another redrive passes over"
                    + " what has one.";

    private final String requestId;
    private final Map<String, AuditRecord> open;
    private final int total;
    private final Letters letters;
    private final ActionLog log;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<AuditRecord> notDone = new ArrayList<>();
    private final ActionTally tally = new ActionTally();
    private volatile String stop = GATEWAY_ENDS;

    /**
     * A run.
     *
     * @param audits record of each letter by its place
     */
    RedriveRun(
            String requestId,
            Map<String, AuditRecord> audits,
            Letters letters,
            ActionLog log,
            InstantSource clock) {
        this.requestId = requestId;
        this.open = new LinkedHashMap<>(audits);
        this.total = audits.size();
        this.letters = letters;
        this.log = log;
        this.clock = clock;
    }

    @Override
    public ActionProgress progress() {
        lock.lock();
        try {
            return tally.progress(requestId, AuditAction.REDRIVE, total, tally.ended());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void begin() throws ActionRefusedException, InterruptedException {
        try {
            log.record(List.copyOf(open.values()));
        } catch (InterruptedException e) {
            end(stop, "");
            throw e;
        } catch (ActionRefusedException e) {
            end(e.reason(), ""); // Some of them may be there.
            throw e;
        }
    }

    @Override
    public void stopFor(String why) {
        stop = why;
    }

    /** Puts them back. */
    @Override
    public void run() {
        try {
            letters.redrive(List.copyOf(open.keySet()), this::putBack);
            List.copyOf(open.keySet())
                    .forEach(place -> ended(place, false, "it is not there any more"));
            end(null, "");
        } catch (ActionRefusedException e) {
            end(e.reason() + rest(), UNSURE);
        } catch (InterruptedException e) {
            end(stop + rest(), UNSURE);
        } catch (RuntimeException e) {
            end("An internal error ended it: see the gateway's log." + rest(), UNSURE);
            throw e;
        }
    }

    private String rest() {
        return " %d were not put back, or it is not known: look at the list again."
                .formatted(open.size());
    }

    private void putBack(Redriven each) {
        var to = each.to();
        ended(each.letter().place(), to != null, to == null ? String.valueOf(each.why()) : to);
    }

    private void ended(String place, boolean fine, String text) {
        lock.lock();
        try {
            var audit = open.remove(place);
            if (audit == null) {
                return;
            }
            if (!fine) {
                notDone.add(audit.failed(text, clock.instant()));
            }
            tally.ended(place, fine, fine ? "put back to " + text : text);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says how it ended once the failures are recorded, or cannot be, and forgets the records.
     *
     * @param unsure what is not known of those that are open
     */
    private void end(@Nullable String why, String unsure) {
        var problem = why;
        if (why != null) {
            open.values()
                    .forEach(audit -> notDone.add(audit.failed(why + unsure, clock.instant())));
        }
        try {
            if (!notDone.isEmpty()) {
                log.recordToTheEnd(notDone);
            }
        } catch (ActionRefusedException e) {
            problem = why == null ? e.reason() : why;
        } catch (InterruptedException e) {
            problem = why == null ? stop : why;
        }
        lock.lock();
        try {
            tally.close(problem);
            open.clear();
            notDone.clear();
        } finally {
            lock.unlock();
        }
    }
}
