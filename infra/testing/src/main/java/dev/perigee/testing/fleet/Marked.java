package dev.perigee.testing.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Finds the processes of one fleet, whatever has become of their parents: each inherits a mark in
 * its environment. A server that is started with a cleared environment is not found.
 */
final class Marked {

    private static final String NAME = "FLEET_UNDER_TEST";

    private final String value = UUID.randomUUID().toString();

    Map<String, String> environment() {
        return Map.of(NAME, value);
    }

    /** The live processes that carry the mark; zombies do not count. */
    List<ProcessHandle> processes() {
        var mark = NAME + "=" + value;
        var found = new ArrayList<ProcessHandle>();
        ProcessHandle.allProcesses()
                .filter(process -> environment(process.pid()).contains(mark))
                .forEach(found::add);
        return found;
    }

    private static List<String> environment(long pid) {
        try {
            var bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ"));
            return List.of(new String(bytes, StandardCharsets.ISO_8859_1).split("\0"));
        } catch (IOException e) {
            return List.of(); // it ended, or belongs to another user
        }
    }
}
