package dev.perigee.gateway.link;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * Known workers: those that the settings name, and those that names last resolved to. A name
 * without an answer keeps those it had. A worker that is gone is kept while its link lives: it may
 * still host partitions. Pure.
 */
final class WorkerRoster {
    private final Map<WorkerSource, List<WorkerAddress>> known = new LinkedHashMap<>();

    WorkerRoster(Collection<WorkerSource> sources) {
        for (var source : sources) {
            known.put(
                    source,
                    switch (source) {
                        case WorkerSource.One(var uri) -> List.of(new WorkerAddress(uri, null));
                        case WorkerSource.Addresses _, WorkerSource.Services _ -> List.of();
                    });
        }
    }

    /** A name was looked up. */
    void found(WorkerSource source, List<WorkerAddress> workers) {
        known.put(source, List.copyOf(workers));
    }

    /** All workers, in the order of the configuration, each once. */
    SequencedSet<WorkerAddress> workers() {
        var all = new LinkedHashSet<WorkerAddress>();
        known.values().forEach(all::addAll);
        return all;
    }

    /** Whether every name has had an answer. */
    boolean isComplete() {
        return known.values().stream().noneMatch(List::isEmpty);
    }

    /** Those that have no link yet. */
    List<WorkerAddress> missing(Collection<WorkerAddress> linked) {
        var missing = new ArrayList<>(workers());
        missing.removeAll(linked);
        return missing;
    }

    /** Whether a link can go: nobody names its worker, and it cannot host anything any more. */
    boolean isOver(WorkerAddress linked, WorkerView view, Instant now) {
        if (workers().contains(linked)) {
            return false;
        }
        return switch (view.state()) {
            case CONNECTING -> true;
            case CONNECTED, RECOVERING -> false;
            case FAILED -> {
                var gone = view.goneSince();
                var retention = view.retention();
                yield gone == null
                        || retention == null
                        || !now.isBefore(gone.plus(retention.multipliedBy(2)).plus(SURPLUS));
            }
        };
    }

    /** So long after its retention what it knows of a lost worker is of use: when it is dead. */
    private static final Duration SURPLUS = Duration.ofMinutes(1);
}
