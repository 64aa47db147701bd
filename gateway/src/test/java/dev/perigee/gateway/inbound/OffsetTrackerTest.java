package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetTrackerTest {

    @Test
    void knowsNothingAtFirst() {
        var tracker = new OffsetTracker(10, 100);

        assertThat(tracker.settled()).isEqualTo(-1);
        assertThat(tracker.next()).isEqualTo(-1);
        assertThat(tracker.isFull()).isFalse();
    }

    @Test
    void isHeldBackByTheOldestThatIsOpen() {
        var tracker = new OffsetTracker(10, 100);
        tracker.add(5, 1);
        tracker.add(6, 1);
        tracker.add(9, 1);

        assertThat(tracker.complete(6)).isTrue();
        assertThat(tracker.settled()).isEqualTo(5);
        assertThat(tracker.complete(5)).isTrue();
        assertThat(tracker.settled()).isEqualTo(9);
        assertThat(tracker.complete(9)).isTrue();
        assertThat(tracker.settled()).isEqualTo(10);
    }

    @Test
    void passesNumbersThatNoRecordHas() {
        var tracker = new OffsetTracker(10, 100);
        tracker.add(5, 1);
        tracker.advanceTo(8);
        tracker.complete(5);

        assertThat(tracker.settled()).isEqualTo(8);
        tracker.advanceTo(3);
        assertThat(tracker.settled()).isEqualTo(8);
    }

    @Test
    void ignoresWhatWasPassedOrDone() {
        var tracker = new OffsetTracker(10, 100);
        tracker.add(5, 1);
        tracker.complete(5);

        assertThat(tracker.add(5, 1)).isFalse();
        assertThat(tracker.complete(5)).isFalse();
        assertThat(tracker.settled()).isEqualTo(6);
    }

    @Test
    void isFullAtEitherLimitAndHasRoomAtHalfOfBoth() {
        var tracker = new OffsetTracker(4, 100);
        tracker.add(1, 60);
        assertThat(tracker.isFull()).isFalse();
        assertThat(tracker.hasRoom()).isFalse();
        tracker.add(2, 40);
        assertThat(tracker.isFull()).isTrue();
        tracker.complete(1);
        assertThat(tracker.hasRoom()).isTrue();
        tracker.add(3, 0);
        tracker.add(4, 0);
        assertThat(tracker.hasRoom()).isFalse();
        tracker.add(5, 0);
        assertThat(tracker.isFull()).isTrue();
    }

    @Test
    void knowsWhatIsDoneBeforeItArrives() {
        var tracker = new OffsetTracker(10, 100);
        tracker.advanceTo(3);
        tracker.completeEarly(5);
        tracker.completeEarly(5);
        assertThat(tracker.completions()).isEqualTo(1);
        assertThat(bits(tracker)).isEqualTo(Set.of(5L));

        tracker.add(4, 1);
        tracker.add(5, 1);
        tracker.completeEarly(4);
        assertThat(tracker.isOpen(4)).isFalse();
        assertThat(tracker.isOpen(5)).as("until its record was looked at").isTrue();
        assertThat(bits(tracker)).isEqualTo(Set.of(5L));
        assertThat(tracker.complete(5)).isTrue();
        assertThat(tracker.settled()).isEqualTo(6);
        assertThat(bits(tracker)).isEmpty();
    }

    private static Set<Long> bits(OffsetTracker tracker) {
        var completed = tracker.completed(OffsetSet.none(0), 100);
        return LongStream.range(0, 100)
                .filter(completed::contains)
                .boxed()
                .collect(Collectors.toSet());
    }

    /** Against a model that keeps every number and its state. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89})
    void doesWhatTheModelDoes(long seed) {
        var random = new Random(seed);
        var tracker = new OffsetTracker(20, 2_000);
        var open = new TreeMap<Long, Integer>();
        long next = -1;
        for (int i = 0; i < 5_000; i++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    long number = Math.max(0, next) + random.nextInt(3);
                    int bytes = random.nextInt(300);
                    assertThat(tracker.add(number, bytes)).isTrue();
                    open.put(number, bytes);
                    next = number + 1;
                }
                case 2 -> {
                    if (!open.isEmpty()) {
                        var numbers = new ArrayList<>(open.keySet());
                        long number = numbers.get(random.nextInt(numbers.size()));
                        assertThat(tracker.complete(number)).isTrue();
                        open.remove(number);
                    }
                }
                default -> {
                    long number = next + random.nextInt(3) - 1;
                    tracker.advanceTo(number);
                    next = Math.max(next, number);
                }
            }
            long bytes = open.values().stream().mapToLong(Integer::longValue).sum();
            var step = "seed " + seed + ", step " + i;
            assertThat(tracker.settled())
                    .as(step)
                    .isEqualTo(open.isEmpty() ? next : open.firstKey());
            assertThat(tracker.next()).as(step).isEqualTo(next);
            assertThat(tracker.openEntries()).as(step).isEqualTo(open.size());
            assertThat(tracker.openBytes()).as(step).isEqualTo(bytes);
            assertThat(tracker.isFull()).as(step).isEqualTo(open.size() >= 20 || bytes >= 2_000);
            assertThat(tracker.hasRoom()).as(step).isEqualTo(open.size() <= 10 && bytes <= 1_000);
        }
    }
}
