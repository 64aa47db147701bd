package dev.perigee.worker.session;

import dev.perigee.worker.instance.InstanceHost;
import java.time.InstantSource;

/** What all sessions of a worker share. */
record SessionContext(
        SessionOptions options,
        InstanceHost instances,
        EventFrames frames,
        LargeBudget largeBudget,
        SessionMetrics metrics,
        Acknowledgements acknowledged,
        CallPermits permits,
        InstantSource clock) {}
