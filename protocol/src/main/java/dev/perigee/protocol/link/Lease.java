package dev.perigee.protocol.link;

import dev.perigee.protocol.json.Require;
import java.util.List;

/**
 * Leases of sessions, {@code session/lease}: a gateway without a commit or claim that its group
 * accepted may have a successor. Times are milliseconds of the worker's own clock, which hello and
 * each answer carry, so that no two clocks are compared and a message that comes late extends
 * nothing.
 */
public final class Lease {
    private Lease() {}

    /** The sessions whose leases are extended; others keep theirs. */
    public record Request(List<Held> held) {
        public Request {
            held = List.copyOf(Require.present(held, "held"));
        }
    }

    /**
     * A session and the end of its lease.
     *
     * @param partition the partition whose session it is
     * @param epoch the epoch that it was attached with
     * @param untilMs end of the lease, in milliseconds of the worker's clock
     */
    public record Held(int partition, long epoch, long untilMs) {}

    /**
     * The answer.
     *
     * @param clockMs the worker's clock as it answers, in milliseconds
     */
    public record Result(long clockMs) {}
}
