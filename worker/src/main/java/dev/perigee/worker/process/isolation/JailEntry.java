package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a jail does before it does anything else, so that it holds for all of it: it makes itself
 * the first that the kernel kills for want of memory, before the worker and everything else of the
 * machine, and joins its control group, without which it does not start. Raising the score needs no
 * privilege; no program in the jail can lower it again, since its {@code /proc} is read-only.
 */
final class JailEntry {

    /** The words after the script are its own arguments, which it hands on as they are. */
    private static final List<String> ENTER =
            List.of(
                    "/bin/sh",
                    "-c",
                    "{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null;"
                            + " if [ -n \"$1\" ]; then echo 0 > \"$1\" || exit 1; fi;"
                            + " shift && exec \"$@\"",
                    "perigee-enter");

    private JailEntry() {}

    /** The command that runs a jail's command so, in a control group if there is one. */
    static List<String> command(@Nullable Path group, List<String> jail) {
        var words = new ArrayList<>(ENTER);
        words.add(group == null ? "" : group.resolve("cgroup.procs").toString());
        words.addAll(jail);
        return words;
    }
}
