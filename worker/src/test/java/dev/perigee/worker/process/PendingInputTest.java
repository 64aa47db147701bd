package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.limit.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PendingInputTest {
    private static final int KIB = 1024;

    private final ByteBudget budget = ByteBudget.of(4096 * KIB);
    private final LauncherOptions options =
            new LauncherOptions(Duration.ofSeconds(1), 1024 * KIB, 1, budget);

    @Test
    @DisplayName("children that do not read leave room for one that does, and short messages pass")
    void leavesRoom() throws Exception {
        for (int i = 0; i < 30; i++) {
            fill(new PendingInput(options));
        }
        assertThat(budget.used()).isLessThanOrEqualTo(budget.limit());
        var reading = new PendingInput(options);
        reading.requireRoom(64 * KIB);
        assertThatThrownBy(() -> reading.requireRoom(2048 * KIB))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("process.input-memory");
    }

    @Test
    @DisplayName("one message larger than the budget is taken where nothing else is kept")
    void takesOneAlone() throws Exception {
        var alone = new PendingInput(options);
        alone.requireRoom(8192 * KIB);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 42})
    @DisplayName(
            "OWN-12: whatever is written, read and dropped, all together are bounded and nothing stays")
    void behaves(long seed) {
        var random = new Random(seed);
        var children = IntStream.range(0, 20).mapToObj(_ -> new PendingInput(options)).toList();
        for (int step = 0; step < 20_000; step++) {
            var child = children.get(random.nextInt(children.size()));
            switch (random.nextInt(10)) {
                case 0 -> child.clear();
                case 1, 2, 3 -> read(child, random);
                default -> add(child, 1 + random.nextInt(300 * KIB));
            }
            assertThat(budget.used())
                    .as("seed %d, step %d", seed, step)
                    .isBetween(0L, budget.limit() + 20L * 64 * KIB);
        }
        children.forEach(PendingInput::clear);
        assertThat(budget.used()).isZero();
    }

    private static void fill(PendingInput child) {
        while (add(child, 100 * KIB)) {
            assertThat(child.isEmpty()).isFalse();
        }
    }

    private static boolean add(PendingInput child, int bytes) {
        try {
            child.requireRoom(bytes);
        } catch (IOException e) {
            return false;
        }
        if (!child.fits(bytes)) {
            return false;
        }
        child.add(ByteBuffer.allocate(bytes));
        return true;
    }

    private static void read(PendingInput child, Random random) {
        var first = child.first();
        if (first != null) {
            int count = 1 + random.nextInt(first.remaining());
            first.position(first.position() + count);
            child.written(count);
        }
    }
}
