package dev.perigee.worker.instance;

import static dev.perigee.worker.instance.InstanceState.FAILED;
import static dev.perigee.worker.instance.InstanceState.RUNNING;
import static dev.perigee.worker.instance.InstanceState.STARTING;
import static dev.perigee.worker.instance.InstanceState.TERMINATED;
import static dev.perigee.worker.instance.InstanceState.TERMINATING;

import java.util.Set;

/**
 * The state of an instance's process. Not thread-safe: the supervisor's.
 *
 * <pre>
 *                   spawn              handshake done
 *  TERMINATED ───────────────▶ STARTING ───────────────▶ RUNNING
 *    ▲  ▲  ▲                    │  │ │                    │ │ │
 *    │  │  │       by intent    │  │ │ failed, died       │ │ │ crashed
 *    │  │  └── TERMINATING ◀────┘  │ └─▶ FAILED ◀─────────┼─┼─┘
 *    │  │           ▲              │       │  │           │ │
 *    │  │           └──────────────┼───────┼──┼───────────┘ │
 *    │  │           by intent, or idle     │  │             │
 *    │  └──────────────────────────┼───────┘  │  stopped    │ exited with 0
 *    └──── respawn failed ─────────┘          └─▶ STARTING  └─▶ TERMINATED
 * </pre>
 *
 * A dormant instance is TERMINATED after being idle, an exit with 0 or a respawn that failed, and
 * the next call spawns; one that was stopped is TERMINATED, and no call does.
 */
final class Lifecycle {
    private InstanceState state = TERMINATED;

    InstanceState state() {
        return state;
    }

    /**
     * Goes to another state.
     *
     * @throws IllegalStateException when the diagram has no such arrow
     */
    void to(InstanceState next) {
        if (!successors(state).contains(next)) {
            throw new IllegalStateException("no way from " + state + " to " + next);
        }
        state = next;
    }

    private static Set<InstanceState> successors(InstanceState state) {
        return switch (state) {
            case STARTING -> Set.of(RUNNING, FAILED, TERMINATING, TERMINATED);
            case RUNNING -> Set.of(FAILED, TERMINATING, TERMINATED);
            case TERMINATING -> Set.of(TERMINATED);
            case TERMINATED, FAILED -> Set.of(STARTING, TERMINATED, FAILED);
        };
    }
}
