package dev.perigee.gateway.partition;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** Requests that were answered a while ago, so that a repeat is not run again. Pure. */
final class RecentRequests {
    private static final int MOST = 20_000;

    private final InstantSource clock;
    private final Duration memory;
    private final LinkedHashMap<String, Instant> answered = new LinkedHashMap<>();

    RecentRequests(InstantSource clock, Duration memory) {
        this.clock = clock;
        this.memory = memory;
    }

    void add(String key) {
        var now = clock.instant();
        answered.putLast(key, now);
        for (Map.Entry<String, Instant> eldest = answered.firstEntry();
                eldest != null
                        && (answered.size() > MOST || eldest.getValue().plus(memory).isBefore(now));
                eldest = answered.firstEntry()) {
            answered.pollFirstEntry();
        }
    }

    boolean contains(String key) {
        var at = answered.get(key);
        return at != null && !at.plus(memory).isBefore(clock.instant());
    }
}
