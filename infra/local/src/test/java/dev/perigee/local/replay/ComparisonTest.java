package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.perigee.local.replay.Comparison.Row;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ComparisonTest {
    private static final Instant THEN = Instant.parse("2026-11-20T10:00:00Z");
    private static final Set<String> ORIGINALS = Set.of("a", "b", "c", "d", "e", "f");
    private static final Set<String> COPIES = Set.of("A", "B", "C", "D", "E", "F");

    private final Evidence production = new Evidence(ORIGINALS, THEN.plusSeconds(60));
    private final Evidence staging = new Evidence(COPIES, null);

    @Test
    void showsDifferencesFirst() {
        result(production, "a", "completed", "\"online\"", null);
        result(staging, "A", "completed", "\"online\"", null);
        result(production, "b", "completed", "\"online\"", null);
        result(staging, "B", "failed", "\"error\"", "spawn_failed");
        result(production, "c", "completed", "\"online\"", null);
        result(staging, "D", "completed", "\"online\"", null);
        result(production, "e", "completed", "\"online\"", null);
        result(staging, "E", "completed", "\"offline\"", null);
        result(production, "f", "failed", null, "not_found");
        result(staging, "F", "failed", null, "invalid");

        var comparison =
                Comparison.of(
                        List.of(
                                sent("a", "p1", 0),
                                sent("b", "p2", 1),
                                sent("c", "p3", 2),
                                sent("d", "p4", 3),
                                sent("e", "p5", 4),
                                sent("f", "p6", 5)),
                        production,
                        staging,
                        0);

        assertThat(comparison.rows())
                .extracting(row -> row.originalId() + " " + row.difference().code())
                .containsExactly(
                        "c missing", "b outcome", "f error", "e status", "d unrecorded", "a none");
        assertThat(comparison.differences()).isEqualTo(4);
    }

    @Test
    void aDifferentEndIsChargedToTheLastCommandOfItsProcess() {
        for (var id : List.of("a", "b")) {
            result(production, id, "completed", "\"online\"", null);
            result(staging, id.toUpperCase(Locale.ROOT), "completed", "\"online\"", null);
        }
        status(production, "p", "online", THEN);
        status(production, "p", "error", THEN.plusSeconds(60)); // After what was replayed.
        status(staging, "p", "online", THEN);
        status(staging, "p", "permanently_failed", THEN.plusSeconds(600));

        var comparison =
                Comparison.of(
                        List.of(sent("b", "p", 1), sent("a", "p", 0), sent("a", "p", 2)),
                        production,
                        staging,
                        0);

        assertThat(comparison.rows())
                .as("the same id twice is one command")
                .extracting(Row::originalId, Row::difference)
                .containsExactly(tuple("b", Difference.FINAL_STATUS), tuple("a", Difference.NONE));
        assertThat(comparison.rows().getFirst().production().finalStatus()).isEqualTo("online");
    }

    @Test
    void aCommandThatANewerOneOvertookHasNoStatusToCompare() {
        for (var id : List.of("a", "b")) {
            result(production, id, "completed", "\"online\"", null);
        }
        result(staging, "A", "completed", null, null); // Sent at once with the next.
        result(staging, "B", "completed", "\"online\"", null);

        var comparison =
                Comparison.of(
                        List.of(sent("a", "p", 0), sent("b", "p", 1)), production, staging, 0);

        assertThat(comparison.differences()).isZero();
    }

    @Test
    void theFirstTerminalResultCounts() {
        result(staging, "A", "acknowledged", null, null);
        assertThat(staging.open()).isEqualTo(COPIES.size());
        result(staging, "A", "completed", "\"online\"", null);
        result(staging, "A", "failed", null, "internal");
        staging.commandResult("{".getBytes(StandardCharsets.UTF_8));
        staging.commandResult(null);

        assertThat(staging.fate("A").outcome()).isEqualTo("completed");
        assertThat(staging.open()).isEqualTo(COPIES.size() - 1);
    }

    @Test
    void thePageIsOneFileInWhichNothingIsMarkup() {
        result(production, "a", "completed", "\"online\"", null);
        result(staging, "A", "failed", null, "<b>&'\"");
        var comparison =
                Comparison.of(List.of(sent("a", "<script>x</script>", 0)), production, staging, 3);
        var plan =
                new Plan("run", "c/mcp.", THEN, Selection.all(), Map.of(), Map.of(), null, "none");
        var page =
                HtmlReport.of(
                        new ReplayResult(
                                plan,
                                4,
                                3,
                                new Tally.Counts(Map.of("restart", 1L), Map.of("malformed", 2L), 0),
                                new RewriteFindings(),
                                Map.of(),
                                comparison),
                        comparison);

        assertThat(page)
                .contains("&lt;script&gt;x&lt;/script&gt;", "&lt;b&gt;&amp;&#39;&quot;")
                .contains("another outcome", "malformed: ", "3 more were sent")
                .doesNotContain("<script", "<b>&", "src=", "href=", "url(", "@import");
    }

    private static Sent sent(String id, String process, int second) {
        return new Sent(
                "restart",
                "t/u",
                id.toUpperCase(Locale.ROOT),
                id,
                "c/mcp.commands-0@" + second,
                THEN.plusSeconds(second),
                process);
    }

    private static void result(
            Evidence evidence,
            String id,
            String outcome,
            @Nullable String status,
            @Nullable String error) {
        var text =
                "{\"event\":\"perigee.command.result\",\"command_id\":\"%s\",\"outcome\":\"%s\","
                                .formatted(id, outcome)
                        + "\"timestamp\":\"2026-11-20T10:00:00Z\""
                        + (status == null
                                ? ""
                                : ",\"result\":{\"resulting_status\":" + status + "}")
                        + (error == null
                                ? ""
                                : ",\"error\":{\"code\":\""
                                        + error.replace("\"", "\\\"")
                                        + "\",\"message\":\"m\"}")
                        + "}";
        evidence.commandResult(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void status(Evidence evidence, String process, String status, Instant at) {
        var text =
                """
                {"event":"mcp.server.status_changed","process_id":"%s","installation_id":"i","server_slug":"s",
                 "team_id":"t","user_id":"u","worker_id":"w","seq":1,"timestamp":"%s","status":"%s"}"""
                        .formatted(process, at, status);
        evidence.status(process, text.getBytes(StandardCharsets.UTF_8), at);
    }
}
