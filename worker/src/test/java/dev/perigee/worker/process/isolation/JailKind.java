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
    BUBBLEWRAP("bubblewrap", Program.BUBBLEWRAP),
    NSJAIL("nsjail", Program.NSJAIL);

    private static final String MODE = "isolation.mode";

    private final String mode;
    private final Program program;

    JailKind(String mode, Program program) {
        this.mode = mode;
        this.program = program;
    }

    /** Those to be tried on this system; one that is required also where it is missing. */
    static List<JailKind> here() {
        return Stream.of(values())
                .filter(kind -> kind != NSJAIL || hasNsjail() || Program.NSJAIL.isRequired())
                .toList();
    }

    /** Skips or fails the test that runs, of which the settings ask for jails of some kind. */
    static void cannot(Map<String, String> settings, String reason) {
        var kind = NSJAIL.mode.equals(settings.get(MODE)) ? NSJAIL : BUBBLEWRAP;
        kind.program.cannot(reason);
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
        all.put(MODE, mode);
        return all;
    }

    @Override
    public String toString() {
        return mode;
    }
}
