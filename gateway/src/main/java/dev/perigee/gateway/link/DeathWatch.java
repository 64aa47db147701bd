package dev.perigee.gateway.link;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a worker that is out of sight is dead, and all that it ran. A worker listens from
 * its start to its end, and says so when it ends a link. So one whose side ended the link without a
 * word, and whose host refuses connections since, has no process any more; its watchdog has ended
 * its servers when that is so for long enough.
 *
 * <pre>
 *             its side ended a direct link                refused, for long enough
 *   Nothing ─────────────────────────────▶ Suspected ───────────────────────────▶ dead
 *      ▲                                    │    ▲  │ refused: since then
 *      └──── another connection to it ──────┘    └──┘ anything else: begins anew
 * </pre>
 *
 * A host that is silent proves nothing: the network may be cut, and the worker live. Neither does
 * the end of a link that this side gave up, nor a refusal by what stands between, which is why both
 * sides must have seen the same ends of the link. Pure; for the link's thread.
 */
final class DeathWatch {
    private final Duration longEnough;
    private @Nullable InetSocketAddress suspect;
    private @Nullable Long refusedSince;

    /**
     * @param longEnough the time that a watchdog needs; zero to take no worker for dead
     */
    DeathWatch(Duration longEnough) {
        this.longEnough = longEnough;
    }

    /**
     * A connection to the worker ended.
     *
     * @param at where the worker listened, if the end makes its death likely; null where it does
     *     not
     */
    void ended(@Nullable InetSocketAddress at) {
        suspect = longEnough.isZero() ? null : at;
        refusedSince = null;
    }

    /** Where to look whether connections are refused; null where that is of no use. */
    @Nullable InetSocketAddress suspect() {
        return suspect;
    }

    /**
     * Somebody looked.
     *
     * @param now when the look began, in {@link System#nanoTime}
     * @return whether the worker is dead
     */
    boolean looked(boolean refused, long now) {
        if (suspect == null || !refused) {
            refusedSince = null;
            return false;
        }
        long since = refusedSince == null ? now : refusedSince;
        refusedSince = since;
        return now - since >= longEnough.toNanos();
    }
}
