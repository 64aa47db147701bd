package dev.perigee.gateway.outbound;

import java.time.Duration;

/** Exponential backoff that doubles up to a limit, without jitter. For one thread. */
final class DoublingBackoff {
    private final Duration first;
    private final Duration longest;
    private Duration next;

    DoublingBackoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    void pause() throws InterruptedException {
        Thread.sleep(next); // The client has no callback for when the broker would take it.
        var doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) > 0 ? longest : doubled;
    }

    void reset() {
        next = first;
    }
}
