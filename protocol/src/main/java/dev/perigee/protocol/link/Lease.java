package dev.perigee.protocol.link;

import dev.perigee.protocol.json.Require;
import java.util.List;

/**
 * How long sessions may go on, {@code session/lease}: a gateway that has not heard from its group
 * for long may have a successor. Times are of the worker's own clock, which it tells in hello and
 * in each answer, so that no two clocks are compared and a message that comes late extends nothing.
 */
public final class Lease {
    private Lease() {}

    /** The sessions that the gateway still has; of others nothing is said. */
    public record Request(List<Held> held) {
        public Request {
            held = List.copyOf(Require.present(held, "held"));
        }
    }

    /** A session that was attached with this epoch, and when its lease ends. */
    public record Held(int partition, long epoch, long untilMs) {}

    /** The worker's clock, as it answers. */
    public record Result(long clockMs) {}
}
