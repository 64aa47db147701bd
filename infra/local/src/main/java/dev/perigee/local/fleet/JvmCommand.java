package dev.perigee.local.fleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How to start another JVM with this one's classes. Flags that the user passed by PERIGEE_JAVA_OPTS
 * come last, so that they win.
 */
public final class JvmCommand {
    private static final List<String> FLAGS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-XX:+ExitOnOutOfMemoryError");

    private final String mainClass;
    private final List<String> userFlags;

    /**
     * A command.
     *
     * @param userFlags flags separated by white space; may be empty
     */
    public JvmCommand(String mainClass, String userFlags) {
        this.mainClass = mainClass;
        this.userFlags = userFlags.isBlank() ? List.of() : List.of(userFlags.strip().split("\\s+"));
    }

    /** The program and its arguments. */
    List<String> of(int heapMebibytes, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.add("-Xmx" + heapMebibytes + "m");
        command.addAll(userFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }
}
