package dev.perigee.gateway.quarantine;

import dev.perigee.protocol.json.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/**
 * The death of a worker under one installation, as the state topic has it.
 *
 * @param incarnation of the worker process that died
 * @param at when its gateway gave it up
 * @param ranMs how long the installation had been running there, in milliseconds
 * @param ordered whether a command had started it there, not a gateway that brought it back
 */
public record Death(String workerId, String incarnation, Instant at, long ranMs, boolean ordered) {
    /** A worker that dies so soon after a start was hardly ended by something else, twice. */
    private static final Duration PROMPT = Duration.ofMinutes(1);

    public Death {
        Require.present(workerId, "worker_id");
        Require.present(incarnation, "incarnation");
        Require.present(at, "at");
    }

    Duration ran() {
        return Duration.ofMillis(ranMs);
    }

    boolean isOf(String worker, String process) {
        return workerId.equals(worker) && incarnation.equals(process);
    }

    boolean isSameAs(Death other) {
        return isOf(other.workerId, other.incarnation);
    }

    private boolean isPrompt() {
        return ran().compareTo(PROMPT) <= 0;
    }

    /** The same death where it says most against whoever both ran for. */
    Death worse(Death other) {
        return new Death(
                workerId,
                incarnation,
                at.isBefore(other.at) ? at : other.at,
                Math.min(ranMs, other.ranMs),
                (ordered && isPrompt()) || (other.ordered && other.isPrompt()));
    }

    /**
     * Whether each worker died soon after a start, one of them after a start that nothing else came
     * with. A trial would cost one more worker and show what is known.
     */
    static boolean arePrompt(Collection<Death> deaths) {
        return deaths.size() > 1
                && deaths.stream().allMatch(Death::isPrompt)
                && deaths.stream().anyMatch(Death::ordered);
    }
}
