package dev.perigee.protocol.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BudgetShareTest {
    private final ByteBudget budget = ByteBudget.of(1200);

    @Test
    @DisplayName("one alone gets half of the budget, and leaves the rest to who comes next")
    void leavesRoom() {
        var greedy = new BudgetShare(budget, 0);
        fill(greedy);
        assertThat(greedy.held()).isEqualTo(600);

        var second = new BudgetShare(budget, 0);
        assertThat(second.isUsedUp()).isFalse();
        fill(second);
        assertThat(second.held()).isEqualTo(300);
        assertThat(budget.exhausted()).isFalse();
    }

    @Test
    @DisplayName("who holds most is stopped, who holds little goes on")
    void stopsTheLargest() {
        var large = new BudgetShare(budget, 0);
        var small = new BudgetShare(budget, 0);
        small.take(100);
        large.take(800);
        assertThat(large.isUsedUp()).isTrue();
        assertThat(small.isUsedUp()).isFalse();
        assertThat(small.isNearlyUsedUp()).isFalse();
    }

    @Test
    @DisplayName(
            "when nothing is free its allowance remains to each, and one that is empty goes on")
    void keepsAnAllowance() {
        budget.take(5000);
        var share = new BudgetShare(budget, 10);
        assertThat(share.isUsedUp()).isFalse();
        share.take(10);
        assertThat(share.isUsedUp()).isFalse();
        share.take(1);
        assertThat(share.isUsedUp()).isTrue();
        share.giveAll();
        assertThat(share.isUsedUp()).isFalse();
        assertThat(budget.used()).isEqualTo(5000);
    }

    @Test
    @DisplayName("who can be refused is when it does not fit, but for a little, and for one alone")
    void refuses() {
        var share = new BudgetShare(budget, 10);
        assertThat(share.fits(5000)).as("nobody has any").isTrue();
        budget.take(1000);
        assertThat(share.fits(201)).isFalse();
        assertThat(share.fits(200)).isTrue();
        share.take(100);
        assertThat(share.fits(1)).as("100 of 100 that are free").isFalse();
        share.give(95);
        budget.take(5000);
        assertThat(share.fits(5)).isTrue();
        assertThat(share.fits(6)).isFalse();
    }

    /** The sum is bounded however many there are, and nothing of it is lost. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 7, 42, 20261124})
    @DisplayName("whoever stops in time, all together exceed the budget by one step at most")
    void isBounded(long seed) {
        var random = new Random(seed);
        var shares = IntStream.range(0, 50).mapToObj(_ -> new BudgetShare(budget, 0)).toList();
        int most = 40;
        for (int step = 0; step < 20_000; step++) {
            var share = shares.get(random.nextInt(shares.size()));
            if (random.nextInt(8) == 0) {
                share.give(share.held() == 0 ? 0 : random.nextLong(share.held() + 1));
            } else if (!share.isUsedUp()) {
                share.take(1 + random.nextInt(most));
            }
            var holding = shares.stream().filter(each -> each.held() > 0).count();
            assertThat(budget.used())
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(shares.stream().mapToLong(BudgetShare::held).sum())
                    .isLessThanOrEqualTo(budget.limit() + most * holding);
        }
        shares.forEach(BudgetShare::giveAll);
        assertThat(budget.used()).isZero();
    }

    private static void fill(BudgetShare share) {
        while (!share.isUsedUp()) {
            share.take(1);
        }
    }
}
