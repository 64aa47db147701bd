package dev.perigee.worker.process;

import java.time.Duration;

/**
 * How a launcher behaves.
 *
 * @param outputGrace how long streams that a grandchild holds are read after the child's exit
 * @param stdinBufferBytes how much unread input is kept per child before writers wait; one message
 *     larger than this is accepted when nothing else is buffered
 * @param spawnThreads how many permanent threads spawn
 */
public record LauncherOptions(Duration outputGrace, int stdinBufferBytes, int spawnThreads) {

    /** Refuses what cannot work. */
    public LauncherOptions {
        if (outputGrace.isNegative() || stdinBufferBytes < 1 || spawnThreads < 1) {
            throw new IllegalArgumentException(
                    "outputGrace must not be negative, stdinBufferBytes and spawnThreads at least"
                            + " 1");
        }
    }

    /** One second of grace, 1 MiB of input, two spawning threads. */
    public static LauncherOptions defaults() {
        return new LauncherOptions(Duration.ofSeconds(1), 1 << 20, 2);
    }
}
