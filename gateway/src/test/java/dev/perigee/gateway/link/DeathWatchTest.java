package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-14: A worker that is out of sight")
final class DeathWatchTest {
    private static final InetSocketAddress THERE =
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 7070);
    private static final long NEEDED = Duration.ofSeconds(5).toNanos();
    private static final long START = Long.MAX_VALUE - 1_000; // the clock may wrap

    private final DeathWatch watch = new DeathWatch(Duration.ofSeconds(5));

    @Test
    @DisplayName("is dead when its host has refused connections for long enough")
    void diesOfRefusals() {
        watch.ended(THERE);

        assertThat(watch.suspect()).isEqualTo(THERE);
        assertThat(watch.looked(true, START)).isFalse();
        assertThat(watch.looked(true, START + NEEDED - 1)).isFalse();
        assertThat(watch.looked(true, START + NEEDED)).isTrue();
    }

    @Test
    @DisplayName("may live when its host is silent or answers once meanwhile")
    void onlyRefusalsCount() {
        watch.ended(THERE);

        assertThat(watch.looked(false, START)).isFalse();
        assertThat(watch.looked(false, START + 2 * NEEDED)).isFalse();
        assertThat(watch.looked(true, START + 3 * NEEDED)).isFalse();
        assertThat(watch.looked(false, START + 3 * NEEDED + 1)).isFalse();
        assertThat(watch.looked(true, START + 4 * NEEDED)).isFalse();
        assertThat(watch.looked(true, START + 5 * NEEDED)).isTrue();
    }

    @Test
    @DisplayName("is not suspected where the end of the link proves nothing")
    void needsALikelyEnd() {
        assertThat(watch.suspect()).isNull();
        assertThat(watch.looked(true, START)).isFalse();
        assertThat(watch.looked(true, START + NEEDED)).isFalse();

        watch.ended(THERE);
        watch.ended(null);

        assertThat(watch.suspect()).isNull();
        assertThat(watch.looked(true, START)).isFalse();
        assertThat(watch.looked(true, START + NEEDED)).isFalse();
    }

    @Test
    @DisplayName("is looked at anew after another connection to it")
    void anotherConnectionBeginsAnew() {
        watch.ended(THERE);
        watch.looked(true, START);
        watch.ended(THERE);

        assertThat(watch.looked(true, START + NEEDED)).isFalse();
    }

    @Test
    @DisplayName("is never taken for dead where that is switched off")
    void off() {
        var off = new DeathWatch(Duration.ZERO);
        off.ended(THERE);

        assertThat(off.suspect()).isNull();
        assertThat(off.looked(true, START)).isFalse();
    }
}
