package dev.perigee.worker.process.isolation;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that is to run. {@link #toString} shows neither arguments nor values, since both may
 * hold secrets.
 *
 * @param home its home directory, and unless it has an {@code /app} where it starts in a jail
 * @param command program and arguments, as the program is to see them
 * @param environment what is configured for it, beyond what the isolation gives to every program
 * @param app whether it is deployed from GitHub and has an {@code /app} of its own in a jail
 * @param mounts what else of the host it gets in a jail
 * @param version of the package that it is of, null where it is of none or that cannot be told
 */
public record ServerProgram(
        Home home,
        ServerRuntime runtime,
        List<String> command,
        Map<String, String> environment,
        boolean app,
        List<Mount> mounts,
        @Nullable String version) {

    public ServerProgram {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        mounts = List.copyOf(mounts);
    }

    /** A program of no package, or of one whose version is not known. */
    public ServerProgram(
            Home home,
            ServerRuntime runtime,
            List<String> command,
            Map<String, String> environment,
            boolean app,
            List<Mount> mounts) {
        this(home, runtime, command, environment, app, mounts, null);
    }

    /** A program without an {@code /app}, with nothing but its home. */
    public ServerProgram(
            Home home,
            ServerRuntime runtime,
            List<String> command,
            Map<String, String> environment) {
        this(home, runtime, command, environment, false, List.of());
    }

    @Override
    public String toString() {
        return "ServerProgram[home=%s, runtime=%s, program=%s]"
                .formatted(home, runtime, command.getFirst());
    }
}
