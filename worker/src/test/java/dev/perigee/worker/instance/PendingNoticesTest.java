package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.ResourceUpdated;
import dev.perigee.worker.instance.PendingNotices.Notice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-09: notifications that wait")
final class PendingNoticesTest {
    private static final long PAUSE = PendingNotices.PAUSE.toNanos();
    private static final long START = 1_000;

    private final PendingNotices pending = new PendingNotices();

    private static Notice update(String uri) {
        return new Notice(uri, uri.length(), dropped -> new ResourceUpdated(uri, dropped));
    }

    private static Notice version(String key, int version, int bytes) {
        return new Notice(key, bytes, dropped -> new ResourceUpdated(key + version, dropped));
    }

    private List<String> uris(long nowNanos) {
        return pending.due(nowNanos).stream()
                .map(due -> ((ResourceUpdated) due.event()).uri())
                .toList();
    }

    @Test
    @DisplayName("the first is due at once, what comes within the pause at its end")
    void firstAtOnce() {
        assertThat(pending.pause(START)).isNull();
        pending.put(update("a"));
        assertThat(pending.pause(START)).isEqualTo(Duration.ZERO);
        assertThat(uris(START)).containsExactly("a");

        pending.put(update("b"));
        assertThat(uris(START + PAUSE - 1)).isEmpty();
        assertThat(pending.pause(START + 1)).isEqualTo(PendingNotices.PAUSE.minusNanos(1));
        assertThat(uris(START + PAUSE)).containsExactly("b");
        assertThat(pending.pause(START + PAUSE)).isNull();
    }

    @Test
    @DisplayName("of one key the newest is published, in the place of the one that came first")
    void newest() {
        pending.put(version("a", 1, 1));
        pending.put(update("b"));
        pending.put(version("a", 2, 1));

        assertThat(uris(START)).containsExactly("a2", "b");
        assertThat(pending.dropped()).isZero();
    }

    @Test
    @DisplayName("10,000 updates a second of one resource are four events a second, none left out")
    void floodOfOne() {
        int events = 0;
        for (int update = 0; update < 100_000; update++) {
            pending.put(update("a"));
            events += uris(START + update * 100_000L).size();
        }
        assertThat(events).isBetween(40, 41);
        assertThat(pending.dropped()).isZero();
    }

    @Test
    @DisplayName("10,000 updates a second of as many resources are 20 a second, the rest counted")
    void floodOfMany() {
        var events = new ArrayList<EventBody>();
        for (int update = 0; update < 100_000; update++) {
            pending.put(update("uri" + update));
            pending.due(START + update * 100_000L).forEach(due -> events.add(due.event()));
        }
        int seconds = 10;
        assertThat(events)
                .hasSizeBetween(
                        PendingNotices.PER_SECOND * seconds,
                        PendingNotices.PER_SECOND * (seconds + 3) + 1);
        long told =
                events.stream()
                        .map(event -> ((ResourceUpdated) event).dropped())
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum();
        long waiting = 100_000 - told - pending.dropped() - events.size();
        assertThat(waiting).isBetween(1L, (long) PendingNotices.MAX_KEYS);
    }

    @Test
    @DisplayName("bytes are bounded, those that wait and those a second")
    void bytes() {
        int large = PendingNotices.MAX_BYTES / 2;
        for (int each = 0; each < 10; each++) {
            pending.put(version("k" + each, 0, large));
        }
        assertThat(pending.dropped()).isEqualTo(8);

        long published = 0;
        for (int step = 0; step < 40; step++) {
            published += (long) large * pending.due(START + step * PAUSE).size();
            pending.put(version("x" + step, 0, large));
        }
        assertThat(published)
                .isLessThanOrEqualTo(PendingNotices.BYTES_PER_SECOND * (40 / 4 + 3L))
                .isGreaterThan(PendingNotices.BYTES_PER_SECOND * 8L);
    }

    @Test
    @DisplayName("one that outgrew its room is left out, and the older of its key with it")
    void outgrown() {
        pending.put(version("a", 1, 1));
        pending.put(version("a", 2, PendingNotices.MAX_BYTES + 1));
        assertThat(pending.dropped()).isEqualTo(1);
        assertThat(pending.pause(START)).isNull();

        pending.put(update("b"));
        assertThat(pending.due(START))
                .extracting(PendingNotices.Due::event)
                .containsExactly(new ResourceUpdated("b", 1L));
        assertThat(pending.dropped()).isZero();
    }
}
