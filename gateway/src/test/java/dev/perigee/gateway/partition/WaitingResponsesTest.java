package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.partition.RequestTable.Arrival;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.limit.RecentIds;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-05: the questions that a partition keeps")
final class WaitingResponsesTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final Instant LATER = NOW.plusSeconds(120);

    @Test
    @DisplayName("forgets a response that ends while it waits")
    void forgetsResponses() {
        var requests =
                new RequestTable(new RecentIds(IdBudget.ofBytes(1 << 20), Duration.ofHours(1)));
        var questions = new HeldQuestions(requests);
        questions.attached(
                new Attach.Result(
                        true,
                        1,
                        List.of(),
                        List.of(
                                new AcceptedRecord(
                                        new RecordOrigin("requests", 0, 0),
                                        Progress.RUNNING,
                                        null,
                                        Json.raw(
                                                new HeldQuestion(
                                                        "q-1",
                                                        Map.of("a", "elicitation/create"),
                                                        "state",
                                                        1,
                                                        "hash",
                                                        LATER,
                                                        LATER,
                                                        7_000,
                                                        7_000)))),
                        null),
                "requests");
        var call =
                read(0, ToolRequest.call("r-1", "t1", "alice", "s:echo", RawJson.of("{}"), null));
        var response =
                read(
                        1,
                        ToolRequest.respond(
                                "r-2",
                                new RecordKey("t1", "alice"),
                                "r-1",
                                "q-1",
                                RawJson.of("{}"),
                                null));
        for (var each : List.of(call, response)) {
            assertThat(requests.arrived(each, NOW)).isEqualTo(Arrival.NEW);
            questions.opened(each);
        }
        assertThat(questions.keepsBack(response)).isTrue();

        questions.ended(response);

        var queue =
                new FairQueue(
                        new UserLimits(4, 4, 1 << 20, RateLimit.NONE, 100),
                        new OpenArguments(ByteBudget.of(1 << 20)),
                        () -> NOW);
        assertThat(questions.release(call, queue)).as("something waits").isFalse();
    }

    private static ToolCall read(long offset, ToolRequest request) {
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("requests", 0, offset),
                        request,
                        Objects.requireNonNull(ToolMethod.of(request.method())),
                        null,
                        NOW,
                        LATER,
                        LATER,
                        null,
                        null),
                "group");
    }
}
