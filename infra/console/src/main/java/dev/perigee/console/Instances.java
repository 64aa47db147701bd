package dev.perigee.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All instances, in the order in which they changed, and those that were removed lately. Beyond a
 * number the one that has not changed for longest is forgotten. For the board's lock.
 */
final class Instances {
    private static final int MAX_REMOVALS = 1_000;

    private final int max;
    private final Budget budget;
    private final LinkedHashMap<String, InstanceTrack> byChange = new LinkedHashMap<>();
    private final LinkedHashMap<String, Long> removals = new LinkedHashMap<>();
    private long removalsKnownFrom;
    private long forgotten;

    Instances(int max, Budget budget) {
        this.max = max;
        this.budget = budget;
    }

    /** The instance, now the last that changed. */
    InstanceTrack touch(String processId, long version) {
        var known = byChange.get(processId);
        var track = known == null ? new InstanceTrack(processId, budget) : known;
        byChange.putLast(processId, track);
        track.changed(version);
        if (byChange.size() > max) {
            var eldest = byChange.firstEntry().getValue();
            if (eldest.isShown()) {
                forgotten++;
            }
            remove(eldest.processId(), version);
        }
        return track;
    }

    /** The instance, known or new, without saying that it changed. */
    InstanceTrack track(String processId, long version) {
        var known = byChange.get(processId);
        return known == null ? touch(processId, version) : known;
    }

    @Nullable InstanceTrack find(String processId) {
        return byChange.get(processId);
    }

    void remove(String processId, long version) {
        var track = byChange.remove(processId);
        if (track == null) {
            return;
        }
        track.clear();
        if (track.isShown()) {
            removals.putLast(processId, version);
            if (removals.size() > MAX_REMOVALS) {
                removalsKnownFrom = removals.pollFirstEntry().getValue();
            }
        }
    }

    /** Whether {@link #removedAfter} is complete for a viewer who knows everything up to then. */
    boolean knowsRemovalsAfter(long version) {
        return version >= removalsKnownFrom;
    }

    /** Those that are shown and changed after a version. */
    List<InstanceView> changedAfter(long version) {
        var changed = new ArrayList<InstanceView>();
        for (var track : byChange.sequencedValues().reversed()) {
            if (track.version() <= version) {
                break;
            }
            var view = track.view();
            if (view != null) {
                changed.add(view);
            }
        }
        return changed;
    }

    /** Those that were removed after a version and did not come back. */
    List<String> removedAfter(long version) {
        var removed = new ArrayList<String>();
        for (var each : removals.sequencedEntrySet().reversed()) {
            if (each.getValue() <= version) {
                break;
            }
            var back = byChange.get(each.getKey());
            if (back == null || !back.isShown()) {
                removed.add(each.getKey());
            }
        }
        return removed;
    }

    /** How many were forgotten for want of room. */
    long forgotten() {
        return forgotten;
    }
}
