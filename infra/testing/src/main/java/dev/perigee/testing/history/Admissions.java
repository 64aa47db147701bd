package dev.perigee.testing.history;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Classifier of a history's violations as {@link Admission}s, by which parts were away when. Pure.
 */
final class Admissions {
    private static final String UNKNOWN = "failed outcome_unknown";

    private final List<Outage> outages;

    Admissions(List<Outage> outages) {
        this.outages = List.copyOf(outages);
    }

    /**
     * More than one answer to a request; null where that must not be. The first of them was given
     * when, or up to a commit before, a gateway was lost, or while it had not fallen silent yet.
     */
    @Nullable Admission ofAnswers(Request request, Collection<HistoryRecord> answers) {
        long first = answers.stream().mapToLong(HistoryRecord::atMs).min().orElseThrow();
        if (!isExplained(first, false)) {
            return null;
        }
        boolean together = isExplained(first, true);
        boolean unknown = answers.stream().anyMatch(each -> each.ending().equals(UNKNOWN));
        boolean own = answers.stream().anyMatch(each -> each.position() == null);
        if (together && (unknown || request.repeatable())) {
            return Admission.LOST_TOGETHER;
        }
        return unknown || own ? Admission.HANDED_OVER : null;
    }

    /** A repeat that says something else; null where that must not be. */
    @Nullable Admission ofRepeat(HistoryRecord first, HistoryRecord repeat) {
        boolean own = repeat.position() == null && !repeat.requestId().isEmpty();
        return own && isExplained(first.atMs(), false) ? Admission.NOT_COMMITTED : null;
    }

    /**
     * Events that are missing before one that came; null where they must not be. Only what a worker
     * had when it was lost is lost, and it is missing before others where these went out of a
     * gateway that was lost as well.
     */
    @Nullable Admission ofHole(HistoryRecord next) {
        return isExplained(next.atMs(), true) && isExplained(next.atMs(), false)
                ? Admission.JOURNAL_LOST
                : null;
    }

    private boolean isExplained(long momentMs, boolean byWorkers) {
        return outages.stream()
                .anyMatch(each -> each.isWorkers() == byWorkers && each.explains(momentMs));
    }
}
