package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class OwnerMailboxTest {
    private static final Duration NEVER = Duration.ofDays(1);
    private static final Runnable WORK = OwnerMailboxTest::nothing;

    private final OwnerMailbox mailbox = new OwnerMailbox(new Alarm());
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final ExecutorService owners = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        owners.shutdownNow();
    }

    @Test
    void wakesAnOwnerThatWaits() throws Exception {
        var taken = take(NEVER);
        awaitAsleep();

        mailbox.post(WORK);

        assertThat(taken.get()).isSameAs(WORK);
    }

    @Test
    void wakesAnOwnerThatWaitsAMomentLaterForWhatMayBeDoneSoon() throws Exception {
        for (int i = 0; i < 3; i++) {
            var taken = take(NEVER);
            awaitAsleep();

            mailbox.postSoon(WORK);

            assertThat(taken.get()).isSameAs(WORK);
        }
    }

    @Test
    void holdsNobodyOnceItIsClosed() throws Exception {
        mailbox.close();

        assertThat(mailbox.take(NEVER)).isNull();
    }

    @Test
    void keepsTheOrderOfBothKinds() throws Exception {
        var done = new ArrayList<String>();
        mailbox.postSoon(() -> done.add("a"));
        mailbox.post(() -> done.add("b"));
        mailbox.postSoon(() -> done.add("c"));

        for (var work = mailbox.take(NEVER); work != null; work = mailbox.poll()) {
            work.run();
        }

        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void saysWhenTheTimeIsOver() throws Exception {
        assertThat(mailbox.take(Duration.ZERO)).isNull();
        assertThat(take(Duration.ofMillis(1)).get()).isNull();
        assertThat(take(Duration.ofMillis(2)).get()).isNull();
    }

    @Test
    void aTimeThatIsOverSoonerThanTheOneBeforeIsNotMissed() throws Exception {
        var taken = take(NEVER);
        awaitAsleep();
        mailbox.post(WORK);
        assertThat(taken.get()).isSameAs(WORK);

        assertThat(take(Duration.ofMillis(1)).get()).isNull();
    }

    @Test
    void anInterruptEndsTheWait() {
        var taken = take(NEVER);
        awaitAsleep();

        taken.cancel(true);

        await().until(() -> !isAsleep());
        mailbox.close();
        mailbox.post(WORK);
        assertThat(mailbox.poll()).isNull();
    }

    @Test
    void anInterruptBeforeTheWaitEndsItToo() {
        var taken =
                owners.submit(
                        () -> {
                            Thread.currentThread().interrupt();
                            return mailbox.take(NEVER);
                        });

        assertThatThrownBy(taken::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void losesNothingUnderContention() throws Exception {
        int each = 20_000;
        var done = new ArrayList<Integer>();
        var all =
                owners.submit(
                        () -> {
                            while (done.size() < 2 * each) {
                                var work = mailbox.take(NEVER);
                                if (work != null) {
                                    work.run();
                                }
                            }
                            return null;
                        });
        for (var soon : List.of(true, false)) {
            owners.execute(
                    () -> {
                        for (int i = 0; i < each; i++) {
                            int number = i;
                            if (soon) {
                                mailbox.postSoon(() -> done.add(number));
                            } else {
                                mailbox.post(() -> done.add(number));
                            }
                        }
                    });
        }

        all.get();

        assertThat(done).hasSize(2 * each);
    }

    private Future<@Nullable Runnable> take(Duration atMost) {
        return owners.submit(
                () -> {
                    owner.set(Thread.currentThread());
                    try {
                        return mailbox.take(atMost);
                    } finally {
                        owner.set(null);
                    }
                });
    }

    private void awaitAsleep() {
        await().until(this::isAsleep);
    }

    private boolean isAsleep() {
        var taking = owner.get();
        return taking != null && taking.getState() == Thread.State.WAITING;
    }

    private static void nothing() {}
}
