package dev.perigee.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class NumberMapTest {
    private static final int STEPS = 50_000;

    private final NumberMap<String> map = new NumberMap<>();
    private final TreeMap<Long, String> model = new TreeMap<>();

    private void put(long number, String value) {
        map.put(number, value);
        model.put(number, value);
    }

    private void isLikeTheModel() {
        assertThat(map.size()).isEqualTo(model.size());
        assertThat(map.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(map.values()).containsExactlyElementsOf(model.values());
        var numbers = new ArrayList<Long>();
        map.forEach((number, _) -> numbers.add(number));
        assertThat(numbers).containsExactlyElementsOf(model.keySet());
    }

    @Test
    void isEmptyAtFirst() {
        isLikeTheModel();
        assertThat(map.first()).isNull();
        assertThat(map.get(0)).isNull();
        assertThat(map.from(Long.MIN_VALUE)).isNull();
        assertThatThrownBy(map::firstNumber).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void isASortedMapWhateverTheOrder() {
        var random = new Random(11);
        long next = 0;
        for (int step = 0; step < STEPS; step++) {
            long any = next - random.nextInt(300);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> put(next += 1 + random.nextInt(3), "a" + step);
                case 3 -> {
                    put(any, "b" + step);
                    next = Math.max(next, any);
                }
                case 4, 5 -> assertThat(map.remove(any)).isEqualTo(model.remove(any));
                case 6 -> {
                    var first = model.pollFirstEntry();
                    if (first != null) {
                        assertThat(map.firstNumber()).isEqualTo(first.getKey());
                        assertThat(map.remove(first.getKey())).isEqualTo(first.getValue());
                    }
                }
                default -> {
                    if (random.nextInt(100) == 0) {
                        map.removeBelow(any);
                        model.headMap(any).clear();
                    } else if (random.nextInt(300) == 0) {
                        map.clear();
                        model.clear();
                    }
                }
            }
            var from = model.ceilingEntry(any);
            var first = model.firstEntry();
            assertThat(map.get(any)).isEqualTo(model.get(any));
            assertThat(map.contains(any)).isEqualTo(model.containsKey(any));
            assertThat(map.from(any)).isEqualTo(from == null ? null : from.getValue());
            assertThat(map.first()).isEqualTo(first == null ? null : first.getValue());
            assertThat(map.size()).isEqualTo(model.size());
            if (step % 100 == 0) {
                isLikeTheModel();
            }
        }
    }

    @Test
    void holdsTheRestBehindOneThatStays() {
        put(0, "stays");
        for (int number = 1; number < STEPS; number++) {
            map.put(number, "goes");
            assertThat(map.remove(number)).isEqualTo("goes");
        }
        isLikeTheModel();
        assertThat(map.from(1)).isNull();
    }

    @Test
    void takesExtremes() {
        for (long number : List.of(Long.MAX_VALUE, Long.MIN_VALUE, 0L)) {
            put(number, "of " + number);
        }
        isLikeTheModel();
    }
}
