package dev.perigee.worker.instance;

import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What all instances of a worker share.
 *
 * @param environment the worker's own, which processes inherit
 * @param timers one thread for short tasks that never block
 */
record HostParts(
        InstanceOptions options,
        ProcessLauncher launcher,
        Termination termination,
        Map<String, String> environment,
        InstantSource clock,
        ScheduledExecutorService timers,
        StartSlots slots) {

    /** Says nothing: the environment holds secrets. */
    @Override
    public String toString() {
        return "HostParts";
    }
}
