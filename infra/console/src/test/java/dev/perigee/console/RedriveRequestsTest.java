package dev.perigee.console;

import static dev.perigee.console.ServedConsole.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditOutcome;
import dev.perigee.protocol.audit.AuditRecord;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@DisplayName("OPS-05: redrive of dead letters by the console, over HTTP,")
final class RedriveRequestsTest {
    private static final String ALICE = "alice-0123456789abcdef";
    private static final String BOB = "bob-0123456789abcdef";

    @AutoClose private final ServedConsole console = new ServedConsole();

    @BeforeEach
    void start() throws Exception {
        var people = ConsoleTokens.parse("alice operate " + ALICE + "\nbob read " + BOB);
        assertThat(people).isNotNull();
        console.start(TOKEN, true, people);
        console.letters.add(17, "t/u");
        console.letters.add(18, "no key");
        console.letters.add(19, "t/*");
    }

    private static String redrive(String... places) {
        var quoted = Stream.of(places).map(it -> "\"" + it + "\"").collect(Collectors.joining(","));
        return "{\"action\":\"redrive\",\"letters\":[%s],\"count\":%d,\"reason\":\"keys were mended\"}"
                .formatted(quoted, places.length);
    }

    /** The letter, and what it is about. */
    private static String selection(String place) {
        return "--offset %s (mcp.commands-1%s, restart)"
                .formatted(place, place.substring(place.indexOf('@')));
    }

    private HttpResponse<String> act(String token, String body) throws Exception {
        return console.send(
                console.request("/console/api/actions")
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + token)
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private JsonNode progress(JsonNode begun) throws Exception {
        var path = "/console/api/actions?id=" + begun.get("request_id").asString();
        return ServedConsole.json(
                console.send(console.request(path).header("Authorization", "Bearer " + ALICE)));
    }

    private JsonNode ended(HttpResponse<String> begun) throws Exception {
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
        var first = ServedConsole.json(begun);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> progress(first).get("done").asBoolean());
        return progress(first);
    }

    private List<String> audited(AuditOutcome outcome) {
        return console.log.audits().stream()
                .filter(it -> it.outcome() == outcome)
                .map(AuditRecord::selection)
                .toList();
    }

    @Test
    @DisplayName("OPS-05: every letter is recorded with who and why before the first is put back")
    void recordsBeforeItPutsBack() throws Exception {
        var progress = ended(act(ALICE, redrive("3@17", "3@18", "3@19")));

        assertThat(console.log.order())
                .startsWith("audit accepted", "audit accepted", "audit accepted")
                .endsWith("redriven 3@17", "redriven 3@18", "redriven 3@19")
                .hasSize(6);
        assertThat(console.log.audits())
                .allSatisfy(
                        it -> {
                            assertThat(it.actor()).isEqualTo("alice");
                            assertThat(it.role()).isEqualTo(ActionRole.OPERATE);
                            assertThat(it.action()).isEqualTo(AuditAction.REDRIVE);
                            assertThat(it.reason()).isEqualTo("keys were mended");
                            assertThat(it.requestId())
                                    .isEqualTo(progress.get("request_id").asString());
                        })
                .extracting(AuditRecord::selection, AuditRecord::teamId, AuditRecord::userId)
                .containsExactlyInAnyOrder(
                        tuple(selection("3@17"), "t", "u"),
                        tuple(selection("3@18"), null, null),
                        tuple(selection("3@19"), "t", null));
        assertThat(progress.get("completed").asInt()).isEqualTo(3);
        assertThat(console.log.commands()).isEmpty();
    }

    @Test
    @DisplayName("OPS-05: shows dead letters to who may read, who cannot put one back")
    void isByRole() throws Exception {
        var shown =
                console.send(
                        console.request("/console/api/letters")
                                .header("Authorization", "Bearer " + BOB));

        assertThat(ServedConsole.json(shown).get("letters").get(0).get("place").asString())
                .isEqualTo("3@19");
        assertThat(console.get("/console/api/letters").statusCode()).isEqualTo(401);
        assertThat(act(BOB, redrive("3@17")).statusCode()).isEqualTo(403);
        assertThat(act(TOKEN, redrive("3@17")).statusCode()).isEqualTo(403);
        assertThat(console.log.order()).isEmpty();
    }

    @Test
    @DisplayName("OPS-05: puts no letter back that another program has put back")
    void neverTwice() throws Exception {
        var _ = ended(act(ALICE, redrive("3@17")));
        console.letters.redrivenElsewhere("3@18");

        for (var place : List.of("3@17", "3@18")) {
            var again = act(ALICE, redrive(place));
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(again.body()).contains("put back before", "redrive --again");
        }
        assertThat(console.log.order()).containsExactly("audit accepted", "redriven 3@17");
    }

    @Test
    @DisplayName("OPS-05: passes over what is put back, or removed, while the run begins")
    void looksAgain() throws Exception {
        var gate = new CountDownLatch(1);
        console.letters.hold(gate);
        var begun = act(ALICE, redrive("3@17", "3@18", "3@19"));
        assertThat(act(ALICE, redrive("3@19")).body()).contains("at a time");
        console.letters.redrivenElsewhere("3@17");
        console.letters.remove("3@18");
        gate.countDown();

        var progress = ended(begun);

        assertThat(progress.get("completed").asInt()).isEqualTo(1);
        assertThat(progress.get("failed").asInt()).isEqualTo(2);
        assertThat(progress.get("outcomes").toString())
                .contains("put back before", "not there any more");
        assertThat(console.log.order()).contains("redriven 3@19").doesNotContain("redriven 3@17");
        assertThat(audited(AuditOutcome.FAILED))
                .containsExactlyInAnyOrder(selection("3@17"), selection("3@18"));
    }

    @Test
    @DisplayName("OPS-05: says why the rules refuse one, and records it")
    void tellsRefusals() throws Exception {
        console.letters.refuse("3@18", "invalid: key is not {team_id}/{user_id}");

        var progress = ended(act(ALICE, redrive("3@17", "3@18")));

        assertThat(progress.get("failed").asInt()).isEqualTo(1);
        assertThat(progress.get("outcomes").get(0).get("text").asString()).startsWith("invalid:");
        assertThat(audited(AuditOutcome.FAILED)).containsExactly(selection("3@18"));
    }

    @Test
    @DisplayName("OPS-05: an outage in the middle leaves the rest open, and says what is not known")
    void endsEarly() throws Exception {
        console.letters.endAfter(1);

        var progress = ended(act(ALICE, redrive("3@17", "3@18", "3@19")));

        assertThat(progress.get("problem").asString()).contains("no broker", "2 were not put back");
        assertThat(progress.get("completed").asInt()).isEqualTo(1);
        assertThat(audited(AuditOutcome.FAILED)).hasSize(2);
    }

    @Test
    @DisplayName("OPS-05: a gateway that is stopped records what it did not put back")
    void recordsWhatAStopLeaves() throws Exception {
        console.letters.hold(new CountDownLatch(1));
        var begun = act(ALICE, redrive("3@17", "3@18", "3@19"));
        assertThat(begun.statusCode()).isEqualTo(202);

        console.endActions();

        assertThat(audited(AuditOutcome.FAILED))
                .containsExactlyInAnyOrder(selection("3@17"), selection("3@18"), selection("3@19"));
        assertThat(progress(ServedConsole.json(begun)).get("problem").asString())
                .startsWith("The gateway ends.");
    }

    @Test
    @DisplayName("OPS-05: a redrive that is stopped records what it left, and another can begin")
    void recordsWhatAPersonStops() throws Exception {
        console.letters.hold(new CountDownLatch(1));
        var begun = act(ALICE, redrive("3@17", "3@18"));
        var id = ServedConsole.json(begun).get("request_id").asString();

        var stopped =
                console.send(
                        console.request("/console/api/actions?id=" + id)
                                .header("Authorization", "Bearer " + ALICE)
                                .DELETE());

        assertThat(stopped.statusCode()).isEqualTo(200);
        assertThat(ended(begun).get("problem").asString()).startsWith("Stopped by alice.");
        // The stop waits for its record only so long.
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () ->
                                assertThat(audited(AuditOutcome.FAILED))
                                        .containsExactlyInAnyOrder(
                                                "At most 2 of 2 left.",
                                                selection("3@17"),
                                                selection("3@18")));
        console.letters.hold(new CountDownLatch(0));
        assertThat(ended(act(ALICE, redrive("3@17"))).get("completed").asInt()).isEqualTo(1);
    }

    @Test
    @DisplayName("OPS-05: what cannot be recorded is not put back")
    void doesNothingUnrecorded() throws Exception {
        console.log.refuseRecords("The topic mcp.audit does not exist");

        assertThat(act(ALICE, redrive("3@17")).statusCode()).isEqualTo(503);
        assertThat(console.log.order()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|400|from 1 to 1000",
                "[\"3@17\",\"3@17\"]|400|each once",
                "[\"3@17\",\"3@18\"]|400|count must be",
                "[\"mcp.commands-3@17\"]|400|partition@offset",
                "[\"3@-1\"]|400|partition@offset",
                "[\"03@17\"]|400|partition@offset",
                "[\"9999999999@1\"]|400|partition@offset",
                "[null]|400|each once",
                "[\"3@99\"]|404|no dead letter 3@99"
            })
    void refusesWhatNamesNoLetter(String places, int status, String why) throws Exception {
        var response =
                act(ALICE, "{\"action\":\"redrive\",\"letters\":" + places + ",\"reason\":\"r\"}");

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(why);
        assertThat(console.log.order()).isEmpty();
    }

    @Test
    @DisplayName("OPS-05: puts back a thousand at once, and not one more")
    void isBounded() throws Exception {
        var places =
                IntStream.range(0, ActionAsk.MOST + 1)
                        .mapToObj(at -> console.letters.add(100 + at, "t/u"))
                        .toArray(String[]::new);

        assertThat(act(ALICE, redrive(places)).statusCode()).isEqualTo(400);
        assertThat(console.log.order()).isEmpty();
        places = Arrays.copyOf(places, ActionAsk.MOST);
        assertThat(ended(act(ALICE, redrive(places))).get("completed").asInt())
                .isEqualTo(ActionAsk.MOST);
    }
}
