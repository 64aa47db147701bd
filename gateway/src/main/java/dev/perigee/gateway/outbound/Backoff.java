package dev.perigee.gateway.outbound;

import java.time.Duration;

/** Pauses that double up to a limit, where nobody tells when it is worth trying; for one thread. */
final class Backoff {
    private final Duration first;
    private final Duration longest;
    private Duration next;

    Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    void pause() throws InterruptedException {
        Thread.sleep(next); // Nobody tells when the broker would take it.
        var doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) > 0 ? longest : doubled;
    }

    void reset() {
        next = first;
    }
}
