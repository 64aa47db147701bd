package dev.perigee.gateway.quarantine;

import dev.perigee.protocol.json.Require;
import java.time.Duration;
import java.time.Instant;

/**
 * The death of a worker under one installation, as the state topic has it.
 *
 * @param incarnation of the worker process that died
 * @param at when its gateway gave it up
 * @param ranMs how long the installation had been running there, in milliseconds
 * @param ordered whether a command had started it there, not a gateway that brought it back
 */
public record Death(String workerId, String incarnation, Instant at, long ranMs, boolean ordered) {
    public Death {
        Require.present(workerId, "worker_id");
        Require.present(incarnation, "incarnation");
        Require.present(at, "at");
    }

    Duration ran() {
        return Duration.ofMillis(ranMs);
    }

    boolean isOf(String worker, String process) {
        return workerId.equals(worker) && incarnation.equals(process);
    }
}
