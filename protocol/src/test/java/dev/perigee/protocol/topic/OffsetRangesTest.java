package dev.perigee.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class OffsetRangesTest {
    private final OffsetRanges ranges = new OffsetRanges();

    private List<String> all() {
        var all = new ArrayList<String>();
        ranges.forEach((first, last) -> all.add(first + "-" + last));
        return all;
    }

    @Test
    void joinsNeighbours() {
        ranges.add(5, 5);
        ranges.add(7, 9);
        assertThat(all()).containsExactly("5-5", "7-9");
        ranges.add(6, 6);
        assertThat(all()).containsExactly("5-9");
        ranges.add(1, 3);
        ranges.add(2, 20);
        assertThat(all()).containsExactly("1-20");
    }

    @Test
    void takesOut() {
        ranges.add(1, 9);
        assertThat(ranges.remove(5)).isTrue();
        assertThat(ranges.remove(5)).isFalse();
        assertThat(all()).containsExactly("1-4", "6-9");
        ranges.removeBelow(3);
        assertThat(all()).containsExactly("3-4", "6-9");
        ranges.removeBelow(10);
        assertThat(ranges.isEmpty()).isTrue();
    }

    @Test
    void areASet() {
        var random = new Random(7);
        var model = new TreeSet<Long>();
        for (int step = 0; step < 5_000; step++) {
            long at = random.nextLong(200);
            switch (random.nextInt(4)) {
                case 0 -> assertThat(ranges.remove(at)).isEqualTo(model.remove(at));
                case 1 -> {
                    if (random.nextInt(20) == 0) {
                        ranges.removeBelow(at);
                        model.headSet(at).clear();
                    }
                }
                default -> {
                    long last = at + random.nextLong(4);
                    ranges.add(at, last);
                    for (long each = at; each <= last; each++) {
                        model.add(each);
                    }
                }
            }
            assertThat(ranges.contains(at)).isEqualTo(model.contains(at));
        }
        var listed = new ArrayList<Long>();
        ranges.forEach(
                (first, last) -> {
                    for (long each = first; each <= last; each++) {
                        listed.add(each);
                    }
                });
        assertThat(listed).containsExactlyElementsOf(model);
    }
}
