package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.limit.ByteBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LineRoomTest {
    private static final int KIB = 1024;
    private static final Duration NEVER = Duration.ofHours(1);

    private final ByteBudget budget = ByteBudget.of(1000 * KIB);
    private final LineRoom room = new LineRoom(budget, NEVER);

    /** A server whose message grows as long as it is read. */
    private static final class Server implements LineRoom.Reader {
        private final LineRoom.Line line;
        private long bytes;
        private volatile boolean paused;
        private boolean pausable = true;
        private final AtomicInteger givenUp = new AtomicInteger();

        Server(LineRoom room) {
            line = room.open(this);
        }

        /** Says so much more, of which it is read what may be. */
        boolean says(long more) {
            bytes += more;
            if (!line.keeps(bytes)) {
                ends();
                return false;
            }
            return true;
        }

        void ends() {
            bytes = 0;
            boolean _ = line.keeps(0);
        }

        @Override
        public boolean pause() {
            paused = pausable;
            return pausable;
        }

        @Override
        public void resume() {
            paused = false;
        }

        @Override
        public void giveUp(BooleanSupplier due) {
            if (due.getAsBoolean()) {
                givenUp.incrementAndGet();
                ends();
            }
        }
    }

    private List<Server> servers(int count) {
        return IntStream.range(0, count).mapToObj(_ -> new Server(room)).toList();
    }

    @Test
    @DisplayName("the first beyond its share goes on, the next waits until that one has ended")
    void oneGoesOn() {
        var first = new Server(room);
        var second = new Server(room);
        first.says(900 * KIB);
        second.says(90 * KIB);
        assertThat(first.paused).isFalse();
        assertThat(second.paused).isTrue();
        assertThat(room.waiting()).isEqualTo(1);

        first.ends();
        assertThat(second.paused).isFalse();
        second.ends();
        assertThat(budget.used()).isZero();
    }

    @Test
    @DisplayName("who waits is read again as soon as it is within its share, in whatever order")
    void readsOnWithinItsShare() {
        var first = new Server(room);
        var second = new Server(room);
        var third = new Server(room);
        first.says(500 * KIB);
        second.says(300 * KIB);
        third.says(150 * KIB);
        assertThat(List.of(first.paused, second.paused, third.paused))
                .containsExactly(false, true, true);
        second.ends();
        assertThat(third.paused).as("150 of 350 that are free").isFalse();
        assertThat(room.waiting()).isZero();
    }

    @Test
    @DisplayName("a short message is read whatever others take")
    void shortOnesPass() {
        budget.take(2000 * KIB);
        var server = new Server(room);
        for (int i = 0; i < 100; i++) {
            assertThat(server.says(60 * KIB)).isTrue();
            assertThat(server.paused).isFalse();
            server.ends();
        }
    }

    @Test
    @DisplayName("one that cannot be stopped is to skip its message")
    void skips() {
        var first = new Server(room);
        first.says(900 * KIB);
        var exited = new Server(room);
        exited.pausable = false;
        assertThat(exited.says(90 * KIB)).isFalse();
        assertThat(budget.used()).isEqualTo(900 * KIB);
    }

    @Test
    @DisplayName(
            "one that does not end while others wait is given up, then the next, until all fit")
    void givesUp() {
        var impatient = new LineRoom(budget, Duration.ofMillis(20));
        var stuck = IntStream.range(0, 10).mapToObj(_ -> new Server(impatient)).toList();
        stuck.forEach(each -> each.says(300 * KIB));
        await().until(() -> impatient.waiting() == 0);
        assertThat(stuck).noneMatch(each -> each.paused);
        assertThat(stuck.stream().filter(each -> each.givenUp.get() > 0).count()).isBetween(7L, 9L);
    }

    @Test
    @DisplayName("who goes before others is not given up as long as nobody waits")
    void hasTimeAlone() throws Exception {
        var impatient = new LineRoom(budget, Duration.ofMillis(1));
        var alone = new Server(impatient);
        alone.says(3000 * KIB);
        var later = new CountDownLatch(1);
        var _ = RequestDeadlines.ofAll().after(Duration.ofMillis(50), later::countDown);
        later.await();
        assertThat(alone.givenUp).hasValue(0);
    }

    /** Whatever comes in whatever order: bounded, nobody waits for ever, nothing is lost. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 42, 20261124})
    @DisplayName(
            "OWN-12: memory is bounded, somebody can always go on, and in the end nothing is held")
    void behaves(long seed) {
        var random = new Random(seed);
        var servers = new ArrayList<>(servers(40));
        long longest = 600 * KIB;
        for (int step = 0; step < 20_000; step++) {
            String context = "seed " + seed + ", step " + step;
            var server = servers.get(random.nextInt(servers.size()));
            if (random.nextInt(50) == 0) {
                server.ends(); // Given up, whether it was read or not.
            } else if (!server.paused) {
                server.says(1 + random.nextInt(32 * KIB));
                if (server.bytes >= longest || random.nextInt(6) == 0) {
                    server.ends();
                }
            }
            assertThat(budget.used())
                    .as(context)
                    .isEqualTo(servers.stream().mapToLong(each -> each.bytes).sum())
                    .isLessThan(
                            budget.limit() + longest + 40L * (LineRoom.ALLOWANCE_BYTES + 32 * KIB));
            var busy = servers.stream().filter(each -> each.bytes > 0).toList();
            assertThat(busy.isEmpty() || busy.stream().anyMatch(each -> !each.paused))
                    .as(context)
                    .isTrue();
            assertThat(room.waiting())
                    .as(context)
                    .isEqualTo((int) servers.stream().filter(each -> each.paused).count());
        }
        while (servers.stream().anyMatch(each -> each.bytes > 0)) {
            servers.stream()
                    .filter(each -> !each.paused && each.bytes > 0)
                    .findAny()
                    .ifPresent(Server::ends);
        }
        assertThat(budget.used()).isZero();
        assertThat(room.waiting()).isZero();
    }
}
