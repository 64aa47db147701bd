package dev.perigee.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-16: a gateway that does not hear a worker")
class ReachTrackerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration PROBATION = Duration.ofSeconds(30);
    private static final Duration MEMORY = Duration.ofSeconds(30);
    private static final long LOOK = Duration.ofMillis(250).toNanos();

    private final ReachTracker tracker = new ReachTracker(PATIENCE, PROBATION, MEMORY);
    private final Map<Integer, String> owned = new TreeMap<>(Map.of(1, "w1", 2, "w2"));
    private final Set<String> heard = new TreeSet<>(Set.of("w1", "w2"));
    private final Set<String> known = new TreeSet<>(Set.of("w1", "w2"));
    private long now;

    @Test
    @DisplayName("asks once, when its patience is over, and tells whom it misses")
    void asksOnce() {
        assertThat(asked(Duration.ofMinutes(1))).isZero();
        heard.remove("w1");
        assertThat(asked(PATIENCE.minusSeconds(1))).isZero();
        assertThat(misses()).isEmpty();
        assertThat(asked(Duration.ofHours(1))).isEqualTo(1);
        assertThat(misses()).containsExactly("w1");
        assertThat(tracker.reach(heard).hosts()).isEqualTo(owned);
    }

    @Test
    @DisplayName("asks for none where only its own pause was long")
    void pause() {
        assertThat(asked(Duration.ofSeconds(1))).isZero();
        heard.clear();
        now += Duration.ofMinutes(1).toNanos();
        assertThat(look()).isFalse();
        heard.addAll(known);
        assertThat(asked(Duration.ofMinutes(1))).isZero();
        assertThat(misses()).isEmpty();
    }

    @Test
    @DisplayName("asks for its partitions back when the link has held, if others got them")
    void back() {
        heard.remove("w1");
        assertThat(asked(PATIENCE.plusSeconds(1))).isEqualTo(1);
        owned.remove(1);
        assertThat(look()).isFalse();
        assertThat(tracker.reach(heard).hosts()).as("told to who assigns it").containsKey(1);
        heard.add("w1");
        assertThat(asked(PROBATION.minusSeconds(1))).isZero();
        assertThat(misses()).containsExactly("w1");
        assertThat(asked(Duration.ofSeconds(2))).isEqualTo(1);
        assertThat(misses()).isEmpty();
        assertThat(asked(MEMORY)).isZero();
        assertThat(tracker.reach(heard).hosts()).as("another's by now").doesNotContainKey(1);
    }

    @Test
    @DisplayName("asks once for a worker that was dead for all and comes back")
    void deadForAll() {
        heard.remove("w1");
        int asked = asked(Duration.ofMinutes(1));
        owned.put(1, "w2");
        asked += asked(Duration.ofMinutes(1));
        heard.add("w1");
        asked += asked(Duration.ofMinutes(2));
        assertThat(asked).isEqualTo(1);
    }

    @Test
    @DisplayName("asks once where the link comes and goes")
    void flapping() {
        int asked = 0;
        for (int i = 0; i < 100; i++) {
            heard.remove("w1");
            asked += asked(PATIENCE.plusSeconds(2));
            owned.remove(1);
            heard.add("w1");
            asked += asked(PROBATION.minusSeconds(5));
        }
        assertThat(asked).isEqualTo(1);
    }

    @Test
    @DisplayName("asks again for a partition that it gets although it misses the worker")
    void another() {
        heard.remove("w1");
        assertThat(asked(Duration.ofMinutes(1))).isEqualTo(1);
        owned.put(3, "w1");
        assertThat(look()).isTrue();
    }

    @Test
    @DisplayName("asks once a patience for all partitions that came meanwhile")
    void oneAfterAnother() {
        heard.remove("w1");
        int asked = 0;
        for (int partition = 3; partition < 14; partition++) {
            owned.put(partition, "w1");
            asked += asked(Duration.ofSeconds(1));
        }
        assertThat(asked).isEqualTo(3);
        assertThat(asked(PATIENCE)).as("for those that were not asked for yet").isEqualTo(1);
        assertThat(asked(Duration.ofHours(1))).isZero();
    }

    @Test
    @DisplayName("forgets no return of a worker while it may not ask")
    void backWhileItMayNotAsk() {
        heard.remove("w1");
        assertThat(asked(PATIENCE.plusSeconds(1))).isEqualTo(1);
        owned.remove(1);
        heard.add("w1");
        assertThat(asked(PROBATION.minus(PATIENCE).minusSeconds(1))).isZero();
        heard.remove("w2");
        assertThat(asked(PROBATION)).as("w2 that is missed, and then the return").isEqualTo(2);
    }

    @Test
    @DisplayName("keeps nothing of workers that left the fleet")
    void left() {
        heard.remove("w1");
        assertThat(asked(PATIENCE.plusSeconds(1))).isEqualTo(1);
        owned.remove(1);
        known.remove("w1");
        assertThat(asked(MEMORY.plusSeconds(1))).isZero();
        assertThat(misses()).isEmpty();
        assertThat(tracker.reach(heard).hosts()).isEqualTo(owned);
    }

    private Set<String> misses() {
        return tracker.reach(heard).misses();
    }

    private int asked(Duration time) {
        int asked = 0;
        for (long end = now + time.toNanos(); now < end; ) {
            asked += look() ? 1 : 0;
        }
        return asked;
    }

    private boolean look() {
        now += LOOK;
        return tracker.look(owned, heard, known, now);
    }
}
