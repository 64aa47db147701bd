package dev.perigee.gateway.placement;

import dev.perigee.gateway.link.WorkerView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Capacity weights of the workers that take sessions, by worker id. Pure. */
final class Weights {
    private Weights() {}

    static Map<String, Double> of(List<WorkerView> workers) {
        var weights = new HashMap<String, Double>();
        for (var worker : workers) {
            var workerId = worker.workerId();
            if (workerId != null && worker.takesSessions()) {
                weights.put(workerId, (double) worker.capacity());
            }
        }
        return weights;
    }
}
