package dev.perigee.local.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command line of another JVM with this one's classes. Flags that the user passed by
 * PERIGEE_JAVA_OPTS come last, so that they win.
 */
public final class JvmCommand {
    private static final List<String> FLAGS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+ExitOnOutOfMemoryError");

    private final String mainClass;
    private final List<String> userFlags;
    private final String classPath;

    /**
     * A command with this JVM's class path.
     *
     * @param userFlags flags separated by white space; may be empty
     */
    public JvmCommand(String mainClass, String userFlags) {
        this(mainClass, userFlags, System.getProperty("java.class.path"));
    }

    /** A command with another class path, such as the one that {@code scripts/warm-up} noted. */
    public JvmCommand(String mainClass, String userFlags, String classPath) {
        this.mainClass = mainClass;
        this.classPath = classPath;
        this.userFlags = userFlags.isBlank() ? List.of() : List.of(userFlags.strip().split("\\s+"));
    }

    /** The program and its arguments. */
    public List<String> of(int heapMebibytes, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.add("-Xmx" + heapMebibytes + "m");
        command.addAll(userFlags);
        command.addAll(cache(arguments.getFirst()));
        command.addAll(program(arguments.getFirst()));
        command.addAll(arguments);
        return command;
    }

    /** A kind of part that has jars of its own runs on these: a file has class path and class. */
    private List<String> program(String kind) {
        var directory = System.getProperty("perigee.programs");
        var own = directory == null ? null : Path.of(directory, kind + ".args");
        return own != null && Files.exists(own)
                ? List.of("@" + own)
                : List.of("-cp", classPath, mainClass);
    }

    /**
     * What such a part has loaded and linked before, kept by the JVM in a file; with other classes
     * or another JVM the file is passed over.
     */
    private static List<String> cache(String kind) {
        var directory = System.getProperty("perigee.aot");
        if (directory == null) {
            return List.of();
        }
        var file = Path.of(directory, kind + ".aot");
        if (Boolean.getBoolean("perigee.aot.record")) {
            // Of which scripts/aot-caches makes the file: here each part's end would wait for it.
            return List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + file + ".config");
        }
        return Files.exists(file) ? List.of("-XX:AOTCache=" + file) : List.of();
    }
}
