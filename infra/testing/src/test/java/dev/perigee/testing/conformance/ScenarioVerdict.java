package dev.perigee.testing.conformance;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Findings of the suite in one scenario.
 *
 * @param passes by the suite's own exit code: all checks, and the client's end
 * @param passed ids of checks that the fleet passed
 * @param failed ids of those with a failure or a warning
 * @param output of the suite and the client, for people
 */
record ScenarioVerdict(
        boolean passes, SortedSet<String> passed, SortedSet<String> failed, String output) {

    /** Of a server, of which the suite's exit code says nothing about one scenario. */
    static ScenarioVerdict read(Path results, String output) throws IOException {
        var verdict = read(true, results, output);
        return new ScenarioVerdict(
                verdict.passes() && verdict.failed().isEmpty(),
                verdict.passed(),
                verdict.failed(),
                output);
    }

    /** Of a run whose results are in this folder, in one of its own. */
    static ScenarioVerdict read(boolean passes, Path results, String output) throws IOException {
        var passed = new TreeSet<String>();
        var failed = new TreeSet<String>();
        try (var files = Files.walk(results)) {
            for (var file : files.filter(it -> it.endsWith("checks.json")).toList()) {
                for (var check : Json.tree(Files.readAllBytes(file))) {
                    var id = check.path("id").asString("");
                    switch (check.path("status").asString("")) {
                        case "SUCCESS" -> passed.add(id);
                        case "FAILURE", "WARNING" -> failed.add(id);
                        default -> {} // What it tells, and what it leaves out.
                    }
                }
            }
        }
        passed.removeAll(failed);
        return new ScenarioVerdict(passes && !passed.isEmpty(), passed, failed, output);
    }
}
