package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class FleetWatchTest {
    private final List<Board> started = new CopyOnWriteArrayList<>();
    private final List<Board> ended = new CopyOnWriteArrayList<>();

    private FleetWatch watch(Duration linger) {
        return new FleetWatch(
                2,
                linger,
                () -> new Board(1 << 20, NOON),
                board -> {
                    started.add(board);
                    return () -> ended.add(board);
                });
    }

    private static FleetWatch.Viewing open(FleetWatch watch) {
        return Objects.requireNonNull(watch.open());
    }

    @Test
    void readsOnlyWhileSomebodyWatches() {
        try (var watch = watch(Duration.ZERO)) {
            assertThat(started).isEmpty();
            var first = open(watch);
            var second = open(watch);
            assertThat(second.board()).isSameAs(first.board());
            first.close();
            assertThat(watch.isFilling()).isTrue();

            second.close();

            Awaitility.await().until(() -> first.board().isClosed());
            assertThat(watch.isFilling()).isFalse();
            assertThat(ended).hasSize(1);
            try (var third = open(watch)) {
                assertThat(third.board()).isNotSameAs(first.board());
            }
        }
        Awaitility.await().untilAsserted(() -> assertThat(ended).hasSameSizeAs(started));
    }

    @Test
    void staysForWhoComesBackSoon() {
        try (var watch = watch(Duration.ofMinutes(5))) {
            var first = open(watch);
            first.close();
            try (var second = open(watch)) {
                assertThat(second.board()).isSameAs(first.board());
            }
        }
    }

    @Test
    void letsOnlySoManyWatch() {
        try (var watch = watch(Duration.ofMinutes(5))) {
            var viewings = new ArrayList<>(List.of(open(watch), open(watch)));
            assertThat(watch.open()).isNull();
            viewings.removeLast().close();
            viewings.add(open(watch));
            viewings.forEach(FleetWatch.Viewing::close);
        }
    }

    @Test
    void endsForAll() {
        var watch = watch(Duration.ofMinutes(5));
        var viewing = open(watch);

        watch.close();

        assertThat(viewing.board().isClosed()).isTrue();
        assertThat(watch.open()).isNull();
        viewing.close();
    }
}
