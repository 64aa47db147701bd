package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The part of a worker that starts jailed programs, in a JVM of its own for tests to kill and to
 * freeze. Arguments: the directory of the caches, a token for its program's arguments, and the kind
 * of its jails. Starts a program that tries to survive, repeats what it says, and waits for its
 * end.
 */
final class JailedWorker {
    private static final Duration RETENTION = Duration.ofSeconds(5);

    private JailedWorker() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws Exception {
        // Nobody starts this worker again, who would remove the control groups of the killed one.
        var unlimited = JailKind.valueOf(arguments[2]).with(Map.of("isolation.memory", "0"));
        var jails = Jails.open(Path.of(arguments[0]), unlimited, RETENTION);
        var survivor =
                jails.start(
                        "team",
                        Map.of(),
                        List.of(
                                Jails.PYTHON,
                                "-c",
                                Jails.hostileProgram(),
                                "survive",
                                arguments[1]));
        survivor.heard().awaitStdout("survivor up");
        System.out.println(survivor.heard().stdout());
        System.out.flush();
        Thread.currentThread().join();
    }
}
