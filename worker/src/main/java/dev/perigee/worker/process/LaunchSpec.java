package dev.perigee.worker.process;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Specification of a launch. The program (the command's first word) is looked up in the {@code
 * PATH} of the given environment unless it contains a slash; no shell is involved. The environment
 * is complete: nothing of the worker's own is added. {@link #toString} shows neither arguments nor
 * environment values, since both may hold secrets.
 *
 * @param command program and arguments, at least the program
 * @param environment the child's whole environment
 * @param workingDirectory where it starts; null is the worker's own directory
 * @param enclosure the jail that the command makes around its program, null without one
 */
public record LaunchSpec(
        List<String> command,
        Map<String, String> environment,
        @Nullable Path workingDirectory,
        @Nullable Enclosure enclosure) {

    /** A program without a jail. */
    public LaunchSpec(
            List<String> command,
            Map<String, String> environment,
            @Nullable Path workingDirectory) {
        this(command, environment, workingDirectory, null);
    }

    /** Checks and copies; refuses what the system could only misread. */
    public LaunchSpec {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw new IllegalArgumentException("The command is empty: name a program to run");
        }
        for (var word : command) {
            if (word.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("An argument contains a NUL: remove it");
            }
        }
        for (var entry : environment.entrySet()) {
            var name = entry.getKey();
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(
                        "An environment variable's name is empty or contains '=' or a NUL: rename"
                                + " it");
            }
            if (entry.getValue().indexOf('\0') >= 0) {
                throw new IllegalArgumentException(
                        "The environment variable " + name + " contains a NUL: remove it");
            }
        }
    }

    /** The first word of the command, as given. */
    public String program() {
        return command.getFirst();
    }

    /** The same with one more environment variable, which replaces one of that name. */
    public LaunchSpec with(String name, String value) {
        var extended = new HashMap<>(environment);
        extended.put(name, value);
        return new LaunchSpec(command, extended, workingDirectory, enclosure);
    }

    @Override
    public String toString() {
        return "LaunchSpec[program=%s, arguments=%d, environment=%s, workingDirectory=%s]"
                .formatted(
                        program(),
                        command.size() - 1,
                        new TreeSet<>(environment.keySet()),
                        workingDirectory);
    }
}
