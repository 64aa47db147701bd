package dev.perigee.gateway.inbound;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The offset-commit state of a partition's requests")
final class RequestLedgerTest {
    private final OffsetTracker requests = new OffsetTracker(100, 1_000);
    private RequestLedger ledger;

    @BeforeEach
    void begin() {
        requests.advanceTo(0);
        for (long offset = 0; offset < 5; offset++) {
            requests.add(offset, 1);
        }
        ledger = new RequestLedger(requests, RequestProgress.none(0), 0);
    }

    @Test
    @DisplayName("is noted when a commit that has it was acknowledged, not when it was sent")
    void noted() {
        assertThat(ledger.isNoted(0)).isTrue();
        requests.complete(3);
        var first = toCommit();
        requests.complete(0);

        assertThat(ledger.isNoted(1)).isFalse();
        ledger.committed(first);
        assertThat(ledger.isNoted(1)).isTrue();
        assertThat(ledger.isNoted(2)).isFalse();
        ledger.committed(toCommit());
        assertThat(ledger.isNoted(2)).isTrue();
        assertThat(ledger.toCommit(ProgressCodec.MAX_BITMAP_BYTES)).isNull();
    }

    @Test
    @DisplayName("is committed at once where somebody waits for it, once")
    void wanted() {
        requests.complete(0);
        assertThat(ledger.isUrgent()).isFalse();
        ledger.want();
        assertThat(ledger.isUrgent()).isTrue();
        ledger.committed(toCommit());
        assertThat(ledger.isUrgent()).isFalse();
    }

    private RequestLedger.Position toCommit() {
        return requireNonNull(ledger.toCommit(ProgressCodec.MAX_BITMAP_BYTES));
    }
}
