package dev.perigee.worker.process.packages;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Packages that keep their data beside their own code unless a variable names another file. Their
 * code is read-only and serves all users, so the variable gets a file in the home. Pure.
 */
final class DataInHome {
    private record File(String variable, String name) {}

    private static final Map<String, File> FILES =
            Map.of(
                    "@modelcontextprotocol/server-memory",
                    new File("MEMORY_FILE_PATH", "memory.json"));

    private DataInHome() {}

    /** The environment with what the package needs; what is configured stays as it is. */
    static Map<String, String> with(
            Map<String, String> environment, PackageLine line, Path homeInside) {
        var file = FILES.get(line.name());
        if (file == null) {
            return environment;
        }
        var extended = new HashMap<>(environment);
        extended.putIfAbsent(file.variable(), homeInside.resolve(file.name()).toString());
        return extended;
    }
}
