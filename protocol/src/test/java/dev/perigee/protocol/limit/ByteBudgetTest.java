package dev.perigee.protocol.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A budget of bytes")
class ByteBudgetTest {
    private final ByteBudget budget = ByteBudget.of(100);

    @Test
    @DisplayName("is taken to its last byte and not beyond")
    void isTakenToItsLastByte() {
        assertThat(budget.tryTake(60)).isTrue();
        assertThat(budget.tryTake(41)).isFalse();
        assertThat(budget.used()).isEqualTo(60);
        assertThat(budget.tryTake(40)).isTrue();
        assertThat(budget.exhausted()).isTrue();
        assertThat(budget.tryTake(1)).isFalse();
    }

    @Test
    @DisplayName("has room again for what is given back")
    void hasRoomAgain() {
        budget.take(100);
        budget.give(30);
        assertThat(budget.exhausted()).isFalse();
        assertThat(budget.tryTake(30)).isTrue();
    }

    @Test
    @DisplayName("takes what cannot be refused, and gives nothing else until that is over")
    void takesWhatCannotBeRefused() {
        budget.take(250);
        assertThat(budget.used()).isEqualTo(250);
        assertThat(budget.tryTake(1)).isFalse();
        budget.give(250);
        assertThat(budget.tryTake(100)).isTrue();
    }

    @Test
    @DisplayName("keeps a part back from those who may not have it")
    void keepsAPartBack() {
        assertThat(budget.tryTake(75, 75)).isTrue();
        assertThat(budget.tryTake(1, 75)).isFalse();
        assertThat(budget.tryTake(25)).isTrue();
        assertThat(budget.tryTake(1, 1000)).isFalse();
    }

    @Test
    @DisplayName("is not overdrawn by many threads")
    void isNotOverdrawn() throws Exception {
        var taken = new AtomicInteger();
        var go = new CountDownLatch(1);
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                var _ =
                        threads.submit(
                                () -> {
                                    go.await();
                                    for (int n = 0; n < 1000; n++) {
                                        if (budget.tryTake(3)) {
                                            taken.incrementAndGet();
                                        }
                                    }
                                    return null;
                                });
            }
            go.countDown();
        }
        assertThat(taken).hasValue(33);
        assertThat(budget.used()).isEqualTo(99);
    }
}
