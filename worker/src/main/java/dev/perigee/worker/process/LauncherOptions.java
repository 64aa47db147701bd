package dev.perigee.worker.process;

import dev.perigee.protocol.limit.ByteBudget;
import java.time.Duration;

/**
 * Options of a launcher.
 *
 * @param outputGrace how long streams that a grandchild holds are read after the child's exit
 * @param stdinBufferBytes how much unread input is kept per child before writers wait; one message
 *     larger than this is accepted when nothing else is buffered
 * @param spawnThreads how many permanent threads spawn
 * @param unread how much unread input is kept of all children together
 */
public record LauncherOptions(
        Duration outputGrace, int stdinBufferBytes, int spawnThreads, ByteBudget unread) {

    /** Refuses what cannot work. */
    public LauncherOptions {
        if (outputGrace.isNegative() || stdinBufferBytes < 1 || spawnThreads < 1) {
            throw new IllegalArgumentException(
                    "outputGrace must not be negative, stdinBufferBytes and spawnThreads at least"
                            + " 1");
        }
    }

    /** One second of grace, 1 MiB of input, two spawning threads, a sixteenth of the heap. */
    public static LauncherOptions defaults() {
        return new LauncherOptions(Duration.ofSeconds(1), 1 << 20, 2, ByteBudget.ofHeap(16));
    }

    /** The same with another budget for unread input. */
    public LauncherOptions withUnread(ByteBudget budget) {
        return new LauncherOptions(outputGrace, stdinBufferBytes, spawnThreads, budget);
    }
}
