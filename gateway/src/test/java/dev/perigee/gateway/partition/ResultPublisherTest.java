package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.util.Objects;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The answer of a request")
final class ResultPublisherTest {
    @AutoClose private final OwnedPartition partition = new OwnedPartition();
    private ScriptedJournal journal = new ScriptedJournal(partition, "", 0);

    @BeforeEach
    void install() {
        journal = new ScriptedJournal(partition, partition.installed("i-1"), 0);
    }

    @Test
    @DisplayName("is on the reply topic, too")
    void replies() {
        var session = partition.serve();
        var headers = new RecordHeaders();
        headers.add(Headers.REPLY_TOPIC, OwnedPartition.REPLIES.getBytes(UTF_8));
        headers.add(Headers.CORRELATION_ID, "c".getBytes(UTF_8));
        var origin = partition.request(OwnedPartition.callJson("r-1", "s", "{}"), headers);
        TestWaits.until("sent", () -> session.calls.size() == 1);
        var reply = Objects.requireNonNull(session.calls.getFirst().order.reply());

        session.event(journal.result("r-1", origin, reply, ""), 100);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.replies.history())
                .singleElement()
                .satisfies(
                        copy -> {
                            assertThat(copy.topic()).isEqualTo(OwnedPartition.REPLIES);
                            assertThat(copy.headers().lastHeader(Headers.CORRELATION_ID).value())
                                    .isEqualTo("c".getBytes(UTF_8));
                        });
    }

    @Test
    @DisplayName("says so where the result is larger than its topic takes")
    void resultTooLarge() {
        var session = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        partition.fast.mostBytes(1_000);

        session.event(journal.result("r-1", origin, null, "x".repeat(2_000)), 1);

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.TOO_LARGE);
        journal.awaitAcknowledged(session, 0);
    }

    @Test
    @DisplayName("is none where the result is too large and unreadable")
    void resultTooLargeAndUnreadable() {
        var session = partition.serve();
        var origin = partition.call("r-1");
        TestWaits.until("sent", () -> session.calls.size() == 1);
        partition.fast.mostBytes(10);

        session.event(
                journal.entry(
                        EventType.TOOL_RESULT.wireName(),
                        "{\"no\":\"result\"}",
                        null,
                        origin,
                        null),
                1);

        journal.awaitAcknowledged(session, 0);
        assertThat(partition.values(Topic.TOOL_RESULTS)).isEmpty();
        partition.awaitDone(1);
    }

    @Test
    @DisplayName("to what cannot be acted on says why, and there is a dead letter")
    void rejected() {
        partition.serve();
        partition.request(
                """
                {"request_id":"r-1","team_id":"t1","user_id":"alice","method":"tools/dance"}""");

        assertThat(codeOf("r-1")).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(partition.written(Topic.DEAD_LETTERS))
                .singleElement()
                .satisfies(
                        letter ->
                                assertThat(letter.headers().lastHeader(Headers.REASON).value())
                                        .isEqualTo("invalid".getBytes(UTF_8)));
        partition.awaitDone(1);
    }

    @Test
    @DisplayName("to nobody is a dead letter alone")
    void rejectedOfNobody() {
        partition.serve();
        partition.request("not json");
        partition.awaitDone(1);
        assertThat(partition.written(Topic.DEAD_LETTERS)).hasSize(1);
        assertThat(partition.values(Topic.TOOL_RESULTS)).isEmpty();
    }

    @Test
    @DisplayName("is left to the next owner when the tenure is about to end")
    void leaving() {
        partition.serve();
        partition.polled.leave();
        long before = partition.transactions.commitCount();
        partition.request(OwnedPartition.callJson("r-1", "other", "{}"));
        TestWaits.until("decided", () -> partition.transactions.commitCount() > before);
        partition.settle();

        assertThat(partition.answers("r-1")).isEmpty();
        assertThat(partition.commit()).hasValue(0);
    }

    private @Nullable ErrorCode codeOf(String requestId) {
        var error = partition.answer(requestId).error();
        return error == null ? null : error.code();
    }
}
