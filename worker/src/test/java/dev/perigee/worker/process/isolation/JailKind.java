package dev.perigee.worker.process.isolation;

import dev.perigee.faults.Program;
import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The kinds of jails that tests try, each the same. nsjail is tried where it is found, see {@link
 * Program#NSJAIL}.
 */
enum JailKind {
    BUBBLEWRAP("bubblewrap"),
    NSJAIL("nsjail");

    private final String mode;

    JailKind(String mode) {
        this.mode = mode;
    }

    /** Those to be tried on this system. */
    static List<JailKind> here() {
        return Stream.of(values()).filter(kind -> kind != NSJAIL || hasNsjail()).toList();
    }

    private static boolean hasNsjail() {
        return Program.NSJAIL.missing() == null;
    }

    /** This JVM's environment, with nsjail on its PATH where there is one. */
    static Map<String, String> environment() {
        var environment = new HashMap<>(System.getenv());
        if (hasNsjail()) {
            var directory = Program.NSJAIL.path().getParent();
            environment.merge(
                    "PATH", "" + directory, (path, own) -> own + File.pathSeparator + path);
        }
        return environment;
    }

    /** Settings for jails of this kind. */
    Map<String, String> with(Map<String, String> settings) {
        var all = new HashMap<>(settings);
        all.put("isolation.mode", mode);
        return all;
    }

    @Override
    public String toString() {
        return mode;
    }
}
