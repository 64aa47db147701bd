package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class AcceptedRequestsTest {
    private static final String TOPIC = "mcp.tool-requests";

    private final AcceptedRequests accepted = new AcceptedRequests();

    @Test
    void tellsOnceWhatTheSessionKnows() {
        assertThat(attached(5, in(1, Progress.RUNNING), in(2, Progress.ACKED))).isFalse();

        assertThat(accepted.take(at(1))).isEqualTo(Progress.RUNNING);
        assertThat(accepted.take(at(2))).isEqualTo(Progress.ACKED);
        assertThat(accepted.take(at(2))).isNull();
        assertThat(accepted.take(at(3))).isNull();
    }

    @Test
    @DisplayName(
            "An answer that a session gave stays given when the partition moves before its record is read")
    void keepsWhatHasItsAnswer() {
        attached(5, in(1, Progress.ACKED), in(2, Progress.RUNNING), in(3, Progress.ACKED));
        accepted.committed(2);

        assertThat(attached(9)).as("the same session").isFalse();

        assertThat(accepted.take(at(1))).as("will not be read again").isNull();
        assertThat(accepted.take(at(2))).as("was under way in a session that is gone").isNull();
        assertThat(accepted.take(at(3))).isEqualTo(Progress.ACKED);
    }

    @Test
    void theLastAnswerOfASessionCounts() {
        attached(5, in(1, Progress.RUNNING), in(2, Progress.RUNNING));

        assertThat(attached(5, in(1, Progress.ACKED))).isTrue();

        assertThat(accepted.take(at(1))).isEqualTo(Progress.ACKED);
        assertThat(accepted.take(at(2))).isNull();
    }

    @Test
    @DisplayName("OWN-07 a range that has its answers is known one by one")
    void knowsRanges() {
        attached(5, new Attach.AcceptedRecord(at(1), Progress.ACKED, 1_000_000L));

        assertThat(accepted.take(at(500_000))).isEqualTo(Progress.ACKED);
        assertThat(accepted.take(at(500_000))).isNull();
        assertThat(accepted.take(at(1_000_000))).isEqualTo(Progress.ACKED);
        assertThat(accepted.take(at(1_000_001))).isNull();
    }

    private boolean attached(long createdEpoch, Attach.AcceptedRecord... records) {
        return accepted.attached(
                new Attach.Result(true, createdEpoch, List.of(), List.of(records), null), TOPIC);
    }

    private static Attach.AcceptedRecord in(long offset, Progress progress) {
        return new Attach.AcceptedRecord(at(offset), progress);
    }

    private static RecordOrigin at(long offset) {
        return new RecordOrigin(TOPIC, 3, offset);
    }
}
