package dev.perigee.local.behaviour;

import static dev.perigee.local.behaviour.RecordedDay.call;
import static dev.perigee.local.behaviour.RecordedDay.process;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.local.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("Comparison of two recordings")
final class BehaviourTest {
    @TempDir private Path folder;

    private RecordedDay day(boolean isReplay) {
        return new RecordedDay(RecordedDay.USERS, RecordedDay.SERVERS, 4, isReplay);
    }

    /** Enough calls of each tool for its times to be compared. */
    private static RecordedDay small(boolean isReplay) {
        return new RecordedDay(20, 10, 4, isReplay);
    }

    @Test
    @DisplayName(
            "RPL-04: finds nothing in a replay that came out the same, whatever ids, masks and order")
    void same() {
        var before = folder.resolve("before");
        var after = folder.resolve("after");
        day(false).write(before);
        day(true).write(after);

        var behaviour = Behaviour.of(before, after, CompareRules.none());

        assertThat(behaviour.rows()).isEmpty();
        assertThat(behaviour.isWell()).isTrue();
        assertThat(behaviour.compared()).isEqualTo(100 * 20 * 5).isEqualTo(behaviour.same());
        assertThat(behaviour.headlines()).containsExactly("Nothing differs");
        assertThat(BehaviourPage.of(behaviour)).contains("Nothing that matters differs");
    }

    private static RecordedDay planted(RecordedDay replay) {
        return replay.changes(
                        IntStream.range(0, 14)
                                .mapToObj(user -> call(user, 3, 2))
                                .toArray(String[]::new))
                .losesTool(process(1, 7), process(2, 7), process(3, 7))
                .slows(5)
                .fails(call(50, 1, 0), call(51, 1, 0))
                .misses(call(60, 2, 1))
                .ends(process(70, 9));
    }

    @Test
    @DisplayName(
            "RPL-04: names exactly the changes that are planted in a day of 100 users and 20 servers")
    void plantedChanges() {
        var before = folder.resolve("before");
        var after = folder.resolve("after");
        day(false).write(before);
        planted(day(true)).write(after);

        var behaviour = Behaviour.of(before, after, CompareRules.none());

        assertThat(behaviour.totals())
                .containsOnly(
                        Map.entry(Kind.MISSING, 1L),
                        Map.entry(Kind.OUTCOME, 2L),
                        Map.entry(Kind.TOOL_REMOVED, 3L),
                        Map.entry(Kind.STATUS, 1L),
                        Map.entry(Kind.RESULT, 14L),
                        Map.entry(Kind.SLOWER, 2L));
        assertThat(behaviour.headlines())
                .contains(
                        "14 calls give another result: s3:get (changed content[*].text.total) x14",
                        "3 servers lost a tool: s7:find x3")
                .anyMatch(
                        line ->
                                line.matches(
                                        "2 tools became slow: s5:find \\(p99 .* ms → .* ms\\); s5:get .*"));
        assertThat(behaviour.rows().getFirst().kind()).isEqualTo(Kind.MISSING);
        assertThat(behaviour.rows().getFirst().examples().getFirst().about())
                .isEqualTo(call(60, 2, 1));
        assertThat(behaviour.failures()).hasSize(6);
        var page = BehaviourPage.of(behaviour);
        assertThat(page)
                .contains("14 calls give another result", "&lt;b&gt;user")
                .doesNotContain("<b>user");
    }

    @Test
    @DisplayName(
            "RPL-05: allows what the rules allow, and refuses rules that it does not understand")
    void rules() throws IOException {
        var before = folder.resolve("before");
        var after = folder.resolve("after");
        small(false).write(before);
        small(true).changes(call(1, 3, 2)).slows(5).misses(call(1, 1, 1)).write(after);
        var file = folder.resolve("rules.yaml");

        Files.writeString(file, "ignore: [\"**.total\"]\nslower: 4\nallow: {missing: 1}\n");
        assertThat(Behaviour.of(before, after, CompareRulesFile.read(file)).isWell()).isTrue();

        Files.writeString(
                file, "tools: {\"s3:get\": {ignore: [\"content[*].text.total\"]}}\nslower: 4\n");
        assertThat(Behaviour.of(before, after, CompareRulesFile.read(file)).failures())
                .containsExactly(Kind.MISSING);

        for (var wrong :
                Map.of(
                                "ingore: [a]", "does not know 'ingore'",
                                "ignore: [\"a..b\"]", "is no path",
                                "allow: {extra: 1}", "cannot allow 'extra'",
                                "slower: 0.5", "no number from 1.0 on",
                                "tools: {a: {b: 1}}", "does not know 'b' of a tool",
                                "- a", "has no rules")
                        .entrySet()) {
            Files.writeString(file, wrong.getKey());
            assertThatThrownBy(() -> CompareRulesFile.read(file))
                    .isInstanceOf(RecordingException.class)
                    .hasMessageContaining(wrong.getValue());
        }
    }

    @Test
    @DisplayName("RPL-04: compares a day that was a replay itself with its own replay, too")
    void replayOfReplay() throws IOException {
        var before = folder.resolve("before");
        var after = folder.resolve("after");
        day(true).write(before);
        replay(before, after);

        var behaviour = Behaviour.of(before, after, CompareRules.none());

        assertThat(behaviour.headlines()).containsExactly("Nothing differs");
        assertThat(behaviour.same()).isEqualTo(RecordedDay.USERS * RecordedDay.SERVERS * 5L);
    }

    /** The same with other ids, each copy naming what it was copied from. */
    private static void replay(Path from, Path to) {
        try (var reader = new RecordingReader(from)) {
            var old = reader.header();
            var header =
                    new RecordingHeader(
                            RecordingHeader.VERSION,
                            "1",
                            "third/mcp.",
                            old.partitions(),
                            old.since(),
                            old.until(),
                            old.recordedAt());
            try (var writer = new RecordingWriter(to, header)) {
                for (var record = reader.next(); record != null; record = reader.next()) {
                    writer.write(replayed(record, old.source()));
                }
                writer.finish();
            }
        }
    }

    private static RecordedRecord replayed(RecordedRecord record, String source) {
        var headers = new HashMap<>(record.headers());
        for (var field : List.of("id", "request_id", "command_id")) {
            if (record.value() instanceof ObjectNode value && value.has(field)) {
                var id = value.path(field).asString();
                value.put(field, "again-" + id);
                headers.put("perigee-replay-id", id);
                headers.put("perigee-replay-of", source + record.place());
            }
        }
        return new RecordedRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                record.at(),
                record.key(),
                headers,
                record.value());
    }

    @Test
    @DisplayName("RPL-07: needs no more memory for more records")
    void memory() throws Exception {
        var before = folder.resolve("before");
        var after = folder.resolve("after");
        var records = new RecordedDay(100, 20, 25, false).write(before);
        new RecordedDay(100, 20, 25, true).changes(call(1, 1, 1)).write(after);
        assertThat(records).isGreaterThan(100_000);

        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.perigee.local.cli.Perigee",
                                "recording",
                                "compare",
                                before.toString(),
                                after.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("out").toFile())
                        .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(Files.readString(folder.resolve("out")))
                .contains("1 calls give another result: s1:find")
                .contains("52000 calls and commands compared, 51999 the same.");
        assertThat(process.exitValue()).isEqualTo(1);
    }
}
