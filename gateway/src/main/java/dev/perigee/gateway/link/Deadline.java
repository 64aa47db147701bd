package dev.perigee.gateway.link;

import java.time.Duration;
import java.time.Instant;

/** A moment until which somebody waits, safe from steps of the wall clock once it is made. */
record Deadline(long atNanos) {
    static Deadline at(Instant instant) {
        return in(Duration.between(Instant.now(), instant));
    }

    static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + Math.max(0, duration.toNanos()));
    }

    /** Never negative. */
    long nanosLeft() {
        return Math.max(0, atNanos - System.nanoTime());
    }
}
