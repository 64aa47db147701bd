package dev.perigee.worker.admin;

import dev.perigee.worker.instance.InstanceSnapshot;
import dev.perigee.worker.instance.InstanceState;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of instances.
 *
 * @param byState every state, also those in which none is
 * @param dormant of them without a process until the next request
 */
record InstanceCounts(Map<String, Integer> byState, int dormant) {

    static InstanceCounts of(List<InstanceSnapshot> instances) {
        var byState = new TreeMap<String, Integer>();
        for (var state : InstanceState.values()) {
            byState.put(state.wireName(), 0);
        }
        int dormant = 0;
        for (var instance : instances) {
            byState.merge(instance.state().wireName(), 1, Integer::sum);
            dormant += instance.dormant() ? 1 : 0;
        }
        return new InstanceCounts(Collections.unmodifiableMap(byState), dormant);
    }
}
