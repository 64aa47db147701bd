package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A day in one fleet is recorded and replayed into another, of which some servers are of another
 * version. Production is gone when staging runs: the file is all that is left of it.
 */
@DisplayName("A recorded day, replayed into a changed fleet")
final class ReplayedDayTest {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int CHANGED = 4;
    private static final int LOST = 1;
    private static final int FAILING = 2;
    private static final int SLOW = 8;

    /** What is asked at a time: so much that staging is busy, and not so much that calls queue. */
    private static final String IN_FLIGHT = "4";

    /** So slow is the planted tool. */
    private static final long PLANTED_MS = 10_000;

    /** What a group says of the time that a tool takes. */
    private static final Pattern SLOWER = Pattern.compile("p99 \\d+ ms → (\\d+) ms");

    @TempDir private Path folder;

    @Test
    @DisplayName("is compared so that the report names exactly the planted changes")
    void small() throws Exception {
        day(20, 2_000);
    }

    @Test
    @Tag("long")
    @DisplayName("the same of 100 users and 100,000 calls")
    void large() throws Exception {
        day(100, 100_000);
    }

    private void day(int users, int calls) throws Exception {
        var generated = new GeneratedDay(folder, users, calls);
        var script = folder.resolve("script.recording");
        generated.write(script);
        var day = folder.resolve("day.recording");
        try (var production = fleet("production")) {
            replay(production, script);
            make(production, day);
        }
        generated.plant(CHANGED, Map.of("changed", "get-sum"));
        generated.plant(LOST, Map.of("lost", "list_allowed_directories"));
        generated.plant(FAILING, Map.of("failing", "search_nodes"));
        generated.plant(SLOW, Map.of("slow", "get-annotated-message"));
        var staged = folder.resolve("staging.recording");
        try (var staging = fleet("staging")) {
            replay(staging, day);
            make(staging, staged);
            var report = compare(staging, day, staged);

            assertThat(report.path("compared").asLong())
                    .isEqualTo((long) generated.calls() + generated.users());
            assertThat(groups(report))
                    .as(report.path("headlines").toString())
                    .isEqualTo(planted(generated));
            assertThat(report.path("headlines").get(0).asString())
                    .contains(GeneratedDay.slug(FAILING) + ":search_nodes");
        }
    }

    private static Map<String, Long> planted(GeneratedDay day) {
        var planted = new HashMap<String, Long>();
        planted.put(
                "tool-removed " + tool(LOST, "list_allowed_directories"), day.usersOf(LOST) + 0L);
        calls(planted, "result", day, CHANGED, "get-sum");
        calls(planted, "outcome", day, FAILING, "search_nodes");
        planted.put("slower " + tool(SLOW, "get-annotated-message"), 1L);
        return planted;
    }

    private static void calls(
            Map<String, Long> planted, String kind, GeneratedDay day, int server, String tool) {
        long calls = (long) day.usersOf(server) * day.callsOf(server, tool);
        planted.put(kind + " " + tool(server, tool), calls);
    }

    private static String tool(int server, String name) {
        return GeneratedDay.slug(server) + ":" + name;
    }

    private static Map<String, Long> groups(JsonNode report) {
        var groups = new HashMap<String, Long>();
        for (var group : report.path("groups")) {
            if (isOfTheMachine(group)) {
                continue;
            }
            groups.merge(
                    group.path("kind").asString("") + " " + group.path("what").asString(""),
                    group.path("count").asLong(),
                    Long::sum);
        }
        return groups;
    }

    /** Whether a tool is slower by less than half of what is planted, as all are for a moment. */
    private static boolean isOfTheMachine(JsonNode group) {
        var slower = SLOWER.matcher(group.path("where").asString(""));
        return slower.matches() && Long.parseLong(slower.group(1)) < PLANTED_MS / 2;
    }

    /** Its records are read by nobody: they would not fit into this JVM. */
    private static FleetUnderTest fleet(String name) throws Exception {
        var fleet = FleetUnderTest.named("day-" + name).start();
        fleet.records().close();
        return fleet;
    }

    private static void replay(FleetUnderTest fleet, Path recording) {
        var arguments = new ArrayList<>(List.of("replay", "--from", recording.toString()));
        arguments.addAll(List.of("--to", fleet.bootstrap(), "--include-requests", "all"));
        arguments.addAll(List.of("--speed", "max", "--max-in-flight", IN_FLIGHT, "--wait", "120s"));
        var replay = fleet.start("replay", arguments);
        Awaitility.await().atMost(PATIENCE).until(() -> !replay.alive());
        assertThat(replay.awaitExit()).as(replay.output()).isIn(0, 1);
        assertThat(replay.output()).contains("refused 0");
    }

    private static void make(FleetUnderTest fleet, Path file) {
        run(fleet, 0, "make", file.toString(), "--from", fleet.bootstrap());
    }

    private JsonNode compare(FleetUnderTest fleet, Path day, Path staged) throws Exception {
        var rules = Files.writeString(folder.resolve("compare.yaml"), GeneratedDay.RULES);
        var output =
                run(
                        fleet,
                        1,
                        "compare",
                        day.toString(),
                        staged.toString(),
                        "--rules",
                        rules.toString(),
                        "--report",
                        folder.resolve("behaviour.html").toString(),
                        "--output",
                        "json");
        var document = output.lines().filter(line -> line.startsWith("{")).findFirst().orElse("");
        return Json.tree(document.getBytes(StandardCharsets.UTF_8));
    }

    private static String run(FleetUnderTest fleet, int exitCode, String... arguments) {
        var all = new ArrayList<>(List.of("recording"));
        all.addAll(List.of(arguments));
        var part = fleet.start("recording-" + arguments[0], all);
        Awaitility.await().atMost(PATIENCE).until(() -> !part.alive());
        assertThat(part.awaitExit()).as(part.output()).isEqualTo(exitCode);
        return part.output();
    }
}
