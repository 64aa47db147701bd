package dev.perigee.gateway.link;

import java.time.Duration;
import java.util.OptionalLong;

/** A gateway's reading of a worker's clock, for simulations that have both sides. */
public record ClockReading(long workerMs, long arrivedNanos) {

    /** See {@link WorkerClock#untilMs}. */
    public long untilMs(OptionalLong heardAt, Duration lease) {
        return new WorkerClock(workerMs, arrivedNanos).untilMs(heardAt, lease);
    }
}
