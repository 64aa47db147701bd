package dev.perigee.worker.process.isolation;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Language runtime of a server; decides its home and its cache. */
public enum ServerRuntime {
    /** JavaScript, by npm's tools. */
    NODE,
    /** Python, by uv's or pip's tools. */
    PYTHON;

    /** As in configurations and directory names. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a configuration says, or what its command tells where it says nothing. */
    public static ServerRuntime of(@Nullable String configured, String command) {
        if (configured != null) {
            return configured.equals(PYTHON.wireName()) ? PYTHON : NODE;
        }
        var program = command.substring(command.lastIndexOf('/') + 1);
        return program.startsWith("uv") || program.startsWith("python") ? PYTHON : NODE;
    }
}
