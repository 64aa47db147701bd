package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Runs a shell script in a jail and repeats what it says, in a JVM of its own for tests to start in
 * surroundings of theirs. Arguments: the directory of the caches, the kind of jail, a path that is
 * read-only inside, and the script.
 */
final class JailedScript {
    private JailedScript() {}

    /** Runs until the script has ended. */
    public static void main(String[] arguments) throws Exception {
        var settings = Map.of("isolation.memory", "0", "isolation.read-only-paths", arguments[2]);
        var kind = JailKind.valueOf(arguments[1]);
        try (var jails = Jails.open(Path.of(arguments[0]), kind.with(settings))) {
            var command = List.of("sh", "-c", arguments[3], jails.token);
            System.out.println(jails.start("team", Map.of(), command).told());
        }
    }
}
