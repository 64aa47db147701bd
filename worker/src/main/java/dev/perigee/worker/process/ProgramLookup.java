package dev.perigee.worker.process;

import dev.perigee.protocol.config.ArgumentSecrets;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a program's file as the system would: a name with a slash is a path seen from the working
 * directory, any other is looked up in the {@code PATH} of the child's own environment.
 */
final class ProgramLookup {
    private static final String MASK = "***";

    private ProgramLookup() {}

    static Path find(LaunchSpec spec) throws LaunchException {
        var directory = spec.workingDirectory();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new LaunchException(
                    LaunchException.Reason.WORKING_DIRECTORY,
                    "The working directory %s does not exist: create it or configure another"
                            .formatted(directory));
        }
        try {
            return spec.program().indexOf('/') >= 0
                    ? byPath(spec, directory)
                    : byName(spec, directory);
        } catch (InvalidPathException e) {
            throw notFound(spec, "its name is not a file name");
        }
    }

    private static Path byPath(LaunchSpec spec, @Nullable Path directory) throws LaunchException {
        var file = absolute(Path.of(spec.program()), directory);
        if (!Files.exists(file)) {
            throw notFound(spec, "the file does not exist");
        }
        return executable(spec, file);
    }

    private static Path byName(LaunchSpec spec, @Nullable Path directory) throws LaunchException {
        var path = spec.environment().getOrDefault("PATH", "");
        Path refused = null;
        for (var entry : path.split(File.pathSeparator, -1)) {
            if (entry.isEmpty()) {
                continue;
            }
            var file = absolute(Path.of(entry), directory).resolve(spec.program());
            if (Files.isRegularFile(file)) {
                if (Files.isExecutable(file)) {
                    return file;
                }
                refused = file;
            }
        }
        if (refused != null) {
            return executable(spec, refused);
        }
        throw notFound(
                spec,
                path.isEmpty() ? "its environment has no PATH" : "it is in no directory of PATH");
    }

    private static Path executable(LaunchSpec spec, Path file) throws LaunchException {
        if (Files.isDirectory(file) || !Files.isExecutable(file)) {
            throw new LaunchException(
                    LaunchException.Reason.PERMISSION_DENIED,
                    "The program '%s' (%s) may not be executed: make it an executable file of this user"
                            .formatted(shown(spec), shown(file.toString())));
        }
        return file;
    }

    private static Path absolute(Path path, @Nullable Path directory) {
        return (directory == null ? path : directory.resolve(path)).toAbsolutePath();
    }

    /** The program may be a whole command line by mistake. */
    private static String shown(LaunchSpec spec) {
        return shown(spec.program());
    }

    private static String shown(String program) {
        return ArgumentSecrets.masked(List.of(program), MASK).getFirst();
    }

    private static LaunchException notFound(LaunchSpec spec, String why) {
        return new LaunchException(
                LaunchException.Reason.PROGRAM_NOT_FOUND,
                "The program '%s' was not found (%s): install it on the worker or correct the command"
                        .formatted(shown(spec), why));
    }
}
