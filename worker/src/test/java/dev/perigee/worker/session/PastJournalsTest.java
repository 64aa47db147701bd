package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.instance.InstanceIdentity;
import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class PastJournalsTest {
    private static final int WINDOW = 3;

    private final PastJournals past = new PastJournals(WINDOW);

    @Test
    @DisplayName("an instance that comes back continues its numbers, another begins at 1")
    void continues() {
        past.add(identity("a"), 17);

        assertThat(past.identity(id("a"))).isEqualTo(identity("a"));
        assertThat(past.begin(id("a"))).isEqualTo(17);
        assertThat(past.begin(id("b"))).isEqualTo(1);
    }

    @Test
    @DisplayName("who is not remembered begins where all of those did not come to")
    void beginsAtTheFloor() {
        for (int i = 1; i <= WINDOW + 2; i++) {
            past.add(identity("p" + i), 10L * i);
        }

        assertThat(past.identity(id("p2"))).isNull();
        assertThat(past.begin(id("p1"))).isEqualTo(20);
        assertThat(past.begin(id("p5"))).isEqualTo(50);
    }

    @Test
    @DisplayName("from any seed: no number is assigned twice to one process")
    void neverTwice() {
        for (long seed = 1; seed <= 100; seed++) {
            var random = new Random(seed);
            var some = new PastJournals(WINDOW);
            var last = new HashMap<String, Long>();
            for (int step = 0; step < 500; step++) {
                var which = "p" + random.nextInt(10);
                long first = some.begin(id(which));
                assertThat(first).as("seed %d", seed).isGreaterThan(last.getOrDefault(which, 0L));
                long next = first + 1 + random.nextInt(20);
                last.put(which, next - 1);
                some.add(identity(which), next);
            }
        }
    }

    private static String id(String installationId) {
        return identity(installationId).processId();
    }

    private static InstanceIdentity identity(String installationId) {
        return InstanceIdentity.of(3, 1, Orders.config(installationId));
    }
}
