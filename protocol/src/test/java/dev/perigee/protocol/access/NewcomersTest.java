package dev.perigee.protocol.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which of many strangers stay. */
final class NewcomersTest {
    private static final int MOST = 256;
    private static final int FLOOD = 20_000;

    private final Newcomers<String> newcomers =
            new Newcomers<>(MOST, new SplittableRandom(20261124));

    @Test
    void keepsAllForWhomThereIsRoom() {
        for (int i = 0; i < MOST; i++) {
            assertThat(newcomers.add("c" + i, "a", i)).isNull();
        }
        newcomers.remove("c3");
        newcomers.remove("c3");
        assertThat(newcomers.count()).isEqualTo(MOST - 1);
        assertThat(newcomers.add("c", "a", 0)).isNull();
        assertThat(newcomers.add("d", "a", 0)).isNotNull();
        assertThat(newcomers.count()).isEqualTo(MOST);
    }

    @Test
    @DisplayName("TEN-15: who opens many connections displaces none of another address")
    void aFloodDisplacesItself() {
        newcomers.add("gateway", "10.0.0.1", 0);
        newcomers.add("gateway's other", "10.0.0.1", 0);
        for (int i = 0; i < FLOOD; i++) {
            assertThat(newcomers.add("c" + i, "10.0.0.66", 0))
                    .isNotIn("gateway", "gateway's other");
            assertThat(newcomers.count()).isLessThanOrEqualTo(MOST);
        }
    }

    @Test
    @DisplayName("TEN-15: of one address any may have to go, so that the next one has a chance")
    void displacesByChance() {
        var gone = new HashSet<String>();
        for (int i = 0; i < FLOOD; i++) {
            var displaced = newcomers.add("c" + i, "a", 0);
            if (displaced != null) {
                gone.add(displaced);
            }
        }
        assertThat(gone).hasSize(FLOOD - MOST);
        int survivors = 0;
        for (int i = 0; i < 100; i++) {
            var own = "gateway" + i;
            boolean stays = !own.equals(newcomers.add(own, "a", 0));
            for (int other = 0; other < 20; other++) {
                stays &= !own.equals(newcomers.add(own + "-" + other, "a", 0));
            }
            survivors += stays ? 1 : 0;
        }
        assertThat(survivors).isGreaterThan(80);
    }

    @Test
    void namesThoseWhoAreNotServedForLong() {
        newcomers.add("old", "a", Long.MAX_VALUE);
        newcomers.add("served", "a", Long.MAX_VALUE);
        newcomers.add("young", "a", Long.MAX_VALUE + 10);
        newcomers.served("served", true, Long.MAX_VALUE + 1);
        newcomers.served("gone", true, Long.MAX_VALUE);

        assertThat(newcomers.idleSinceBefore(Long.MAX_VALUE + 5)).containsExactly("old");

        newcomers.served("served", false, Long.MAX_VALUE + 4);
        assertThat(newcomers.idleSinceBefore(Long.MAX_VALUE + 5)).containsExactly("old", "served");
        assertThat(newcomers.count()).isEqualTo(3);
    }
}
