package dev.perigee.worker.process.isolation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One program as a jail's command line needs it. The environment is not among it: it is inherited,
 * since arguments can be read by everybody on the host.
 *
 * @param hostname what the program is told the host is called
 * @param home the program's home and, unless it has an {@code /app}, where it starts
 * @param app whether it has an {@code /app}
 * @param mounts what else of the host it gets; a later one may lie below an earlier one
 */
record JailedProgram(
        String hostname, HomePlace home, boolean app, List<Mount> mounts, List<String> command) {

    private static final int LONGEST_HOSTNAME = 64;
    static final String APP = "/app";

    /**
     * A device that is in place of {@code /dev/zero}: it reads the same, and cannot be mapped. A
     * shared mapping of the other one is memory of which the worker does not see what a program has
     * given up.
     */
    static final Path ZEROES = Path.of("/dev/full");

    JailedProgram {
        mounts = List.copyOf(mounts);
        command = List.copyOf(command);
    }

    static JailedProgram of(ServerProgram program, HomePlace home) {
        return new JailedProgram(
                hostname(program.home().owner()),
                home,
                program.app(),
                program.mounts(),
                program.command());
    }

    /** The same with more of the host, above all else. */
    JailedProgram with(List<Mount> more) {
        var all = new ArrayList<>(more);
        all.addAll(mounts);
        return new JailedProgram(hostname, home, app, all, command);
    }

    /** As long and of such characters as the system takes. */
    private static String hostname(String owner) {
        var name = "mcp-" + owner.replaceAll("[^A-Za-z0-9._-]", "-");
        return name.substring(0, Math.min(name.length(), LONGEST_HOSTNAME));
    }

    String directory() {
        return app ? APP : home.inside().toString();
    }
}
