package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.instance.StartQueue.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class AwakeServersTest {
    private static final Instant NOW = Instant.EPOCH.plusSeconds(1000);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final AwakeServers servers = new AwakeServers(new AwakeLimits(2, 3), () -> NOW);
    private final List<String> slept = new ArrayList<>();

    @Test
    @DisplayName("TEN-11: a user's start beyond the limit is refused, and the refusal names it")
    void refusesAUser() throws InterruptedException {
        take("u1", "a", null);
        take("u1", "b", null);

        assertThat(place("u1", "c", null).take(Duration.ZERO))
                .isEqualTo(
                        "The user has 2 servers awake on this worker, and none of them is idle:"
                                + " limits.user.awake is 2");
        assertThat(place("u2", "c", null).take(Duration.ZERO)).isNull();
    }

    @Test
    @DisplayName("TEN-11: a team's likewise, whichever of its users starts one more")
    void refusesATeam() throws InterruptedException {
        take("u1", "a", null);
        take("u1", "b", null);
        take("u2", "c", null);

        assertThat(place("u3", "d", null).take(Duration.ZERO))
                .contains("The team has 3", "limits.team.awake is 3");
        assertThat(servers.place(new Owner("t2", "u3"), sleeper("e", null)).take(Duration.ZERO))
                .isNull();
    }

    @Test
    @DisplayName("a place is one however often it is taken, and free when it was given back")
    void countsPlacesOnce() throws InterruptedException {
        var first = take("u1", "a", null);
        assertThat(first.take(Duration.ZERO)).isNull();
        take("u1", "b", null);

        first.release();
        first.release();

        assertThat(place("u1", "c", null).take(Duration.ZERO)).isNull();
        assertThat(first.take(Duration.ZERO)).isNotNull();
    }

    @Test
    @DisplayName("TEN-11: the user's server that is idle for longest gives way")
    void letsTheIdlestSleep() throws InterruptedException {
        take("u1", "recent", NOW.minusSeconds(2));
        take("u1", "long ago", NOW.minusSeconds(20));
        take("u2", "of another user", NOW.minusSeconds(200));

        assertThat(place("u1", "new", null).take(LONG)).isNull();

        assertThat(slept).containsExactly("long ago");
    }

    @Test
    @DisplayName("TEN-11: at a team's limit it is one of the user who has most awake")
    void takesFromWhoHasMost() throws InterruptedException {
        take("u1", "one", NOW.minusSeconds(200));
        take("u2", "two", NOW.minusSeconds(2));
        take("u2", "three", NOW.minusSeconds(3));

        assertThat(place("u3", "new", null).take(LONG)).isNull();

        assertThat(slept).containsExactly("three");
    }

    @Test
    @DisplayName("a server that was used just now is left alone")
    void leavesTheBusyAlone() throws InterruptedException {
        take("u1", "now", NOW);
        take("u1", "busy", null);

        assertThat(place("u1", "new", null).take(Duration.ofMillis(1))).isNotNull();

        assertThat(slept).isEmpty();
    }

    private AwakeServers.Place take(String user, String name, @Nullable Instant idleSince)
            throws InterruptedException {
        var sleeper = sleeper(name, idleSince);
        var place = servers.place(new Owner("t1", user), sleeper);
        sleeper.place = place;
        assertThat(place.take(Duration.ZERO)).isNull();
        return place;
    }

    private AwakeServers.Place place(String user, String name, @Nullable Instant idleSince) {
        return servers.place(new Owner("t1", user), sleeper(name, idleSince));
    }

    private Sleeper sleeper(String name, @Nullable Instant idleSince) {
        return new Sleeper(name, idleSince);
    }

    private final class Sleeper implements AwakeServers.Sleeper {
        private final String name;
        private final @Nullable Instant idleSince;
        private AwakeServers.@Nullable Place place;

        Sleeper(String name, @Nullable Instant idleSince) {
            this.name = name;
            this.idleSince = idleSince;
        }

        @Override
        public @Nullable Instant idleSince() {
            return idleSince;
        }

        @Override
        public void sleep() {
            slept.add(name);
            if (place != null) {
                place.release();
            }
        }
    }
}
