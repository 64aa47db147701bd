package dev.perigee.testing.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A fleet that nothing is done to and nothing is asked of, and what is not as it has to be then:
 * each server answers, by the one process that it has; its last status is {@code online}; there is
 * no other process; and no part holds anything. Pure.
 *
 * @param answered the pid with which each server answers, by process id
 * @param live the processes that there are, by what they serve
 * @param statuses the last status of each process id
 * @param held how much parts hold, by part and metric
 */
record SteadyState(
        Map<String, Long> answered,
        Map<String, Set<Long>> live,
        Map<String, String> statuses,
        Map<String, Double> held) {

    /** What must not be, for people; empty when all is well. */
    List<String> violations() {
        var found = new ArrayList<String>();
        answered.forEach(
                (processId, pid) -> {
                    var pids = live.getOrDefault(processId, Set.of());
                    if (!pids.equals(Set.of(pid))) {
                        found.add(
                                "%s answers as %d, its live processes are %s"
                                        .formatted(processId, pid, pids));
                    }
                    var status = statuses.getOrDefault(processId, "none");
                    if (!status.equals("online")) {
                        found.add("%s answers, its status is %s".formatted(processId, status));
                    }
                });
        live.forEach(
                (processId, pids) -> {
                    if (!answered.containsKey(processId)) {
                        found.add("orphans of %s: %s".formatted(processId, pids));
                    }
                });
        held.forEach(
                (what, much) -> {
                    if (much != 0) {
                        found.add("held: %s %s".formatted(what, much));
                    }
                });
        return found;
    }
}
