package dev.perigee.worker.process.isolation;

import java.util.List;
import java.util.Map;

/**
 * A program that is to run for a team. {@link #toString} shows neither arguments nor values, since
 * both may hold secrets.
 *
 * @param command program and arguments, as the program is to see them
 * @param environment what is configured for it, beyond what the isolation gives to every program
 * @param app whether it is deployed from GitHub and has an {@code /app} of its own in a jail
 */
public record ServerProgram(
        String teamId,
        ServerRuntime runtime,
        List<String> command,
        Map<String, String> environment,
        boolean app) {

    public ServerProgram {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /** A program without an {@code /app}. */
    public ServerProgram(
            String teamId,
            ServerRuntime runtime,
            List<String> command,
            Map<String, String> environment) {
        this(teamId, runtime, command, environment, false);
    }

    @Override
    public String toString() {
        return "ServerProgram[team=%s, runtime=%s, program=%s]"
                .formatted(teamId, runtime, command.getFirst());
    }
}
