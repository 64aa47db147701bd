package dev.perigee.local.connect;

import dev.perigee.local.connect.DoorCall.Subject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls that wait for a retry, by states that nobody can guess, each for {@link #PARKED} at most.
 * Safe for use by any thread.
 */
final class ParkedCalls {
    static final Duration PARKED = Duration.ofMinutes(15);

    private final Supplier<String> states;
    private final LongSupplier nanoTime;
    private final Map<String, Parked> parked = new ConcurrentHashMap<>();

    private record Parked(DoorCall call, long since) {}

    /**
     * None.
     *
     * @param states each unlike all others
     * @param nanoTime as {@link System#nanoTime}
     */
    ParkedCalls(Supplier<String> states, LongSupplier nanoTime) {
        this.states = states;
        this.nanoTime = nanoTime;
    }

    /** The state by which a retry finds the call, once. */
    String park(DoorCall call) {
        var state = states.get();
        parked.put(state, new Parked(call, nanoTime.getAsLong()));
        return state;
    }

    /** Takes the call that waits for a retry with this state; null where there is none of it. */
    @Nullable DoorCall unpark(String state, Subject of) {
        var found = parked.get(state);
        return found != null && found.call().subject().equals(of) && parked.remove(state, found)
                ? found.call()
                : null;
    }

    /** Ends those that waited too long. */
    void sweep() {
        long now = nanoTime.getAsLong();
        parked.forEach(
                (state, each) -> {
                    if (now - each.since() > PARKED.toNanos() && parked.remove(state, each)) {
                        each.call().end();
                    }
                });
    }
}
