package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A lookup of a name by the system")
final class SystemLookupsTest {
    private static final String USER = "user";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("93.184.215.14");

    @Test
    @DisplayName("is on no virtual thread, whoever asks")
    void isOnItsOwnThread() throws Exception {
        var lookups = new SystemLookups(SystemLookups.LONGEST);
        var by = new AtomicReference<@Nullable Thread>();
        var answer = new AtomicReference<@Nullable List<InetAddress>>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answer.set(
                                        lookups.ask(
                                                USER,
                                                () -> {
                                                    by.set(Thread.currentThread());
                                                    return List.of(ADDRESS);
                                                }));
                            } catch (UnknownHostException e) {
                                answer.set(List.of());
                            }
                        })
                .join();
        assertThat(answer.get()).containsExactly(ADDRESS);
        assertThat(by.get()).isNotNull().matches(thread -> !thread.isVirtual());
    }

    @Test
    @DisplayName("ends after its time, and others have their answer meanwhile")
    void ends() throws Exception {
        var ended = new CountDownLatch(1);
        var lookups = new SystemLookups(Duration.ofSeconds(5));
        assertThatThrownBy(
                        () ->
                                lookups.ask(
                                        USER,
                                        () -> {
                                            try {
                                                new CountDownLatch(1).await();
                                            } catch (InterruptedException e) {
                                                ended.countDown();
                                            }
                                            throw new UnknownHostException("slow.example");
                                        }))
                .isInstanceOf(UnknownHostException.class)
                .hasMessage("its lookup takes too long");
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(lookups.ask(USER, () -> List.of(ADDRESS))).containsExactly(ADDRESS);
    }

    @Test
    @DisplayName("fails as the system says")
    void fails() {
        var lookups = new SystemLookups(SystemLookups.LONGEST);
        assertThatThrownBy(
                        () ->
                                lookups.ask(
                                        USER,
                                        () -> {
                                            throw new UnknownHostException("no.example");
                                        }))
                .isInstanceOf(UnknownHostException.class)
                .hasMessage("no.example");
    }

    @Test
    @DisplayName(
            "counts to its owner as long as the system is busy with it, also when nobody waits")
    void counts() throws Exception {
        var lookups = new SystemLookups(Duration.ofMinutes(2));
        var busy = new CountDownLatch(LookupTurns.MOST_OF_OWNER);
        var release = new CountDownLatch(1);
        try {
            var asking =
                    Stream.generate(
                                    () ->
                                            asking(
                                                    lookups,
                                                    () -> {
                                                        busy.countDown();
                                                        awaitWhatever(release);
                                                        return List.of(ADDRESS);
                                                    }))
                            .limit(LookupTurns.MOST_OF_OWNER)
                            .toList();
            assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
            for (var asker : asking) {
                asker.interrupt();
                assertThat(asker.join(PATIENCE)).isTrue();
            }
            var begun = new CountDownLatch(1);
            var late =
                    asking(
                            lookups,
                            () -> {
                                begun.countDown();
                                return List.of(ADDRESS);
                            });
            await().until(() -> late.getState() == Thread.State.TIMED_WAITING);
            assertThat(lookups.ask("other", () -> List.of(ADDRESS))).containsExactly(ADDRESS);
            assertThat(begun.getCount()).isEqualTo(1);
            release.countDown();
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(late.join(PATIENCE)).isTrue();
        } finally {
            release.countDown();
        }
    }

    private static Thread asking(SystemLookups lookups, Names.Lookup lookup) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                lookups.ask(USER, lookup);
                            } catch (UnknownHostException e) {
                                // Nobody waits for it.
                            }
                        });
    }

    /** As the system does, which knows of no interruption. */
    private static void awaitWhatever(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // Goes on.
            }
        }
    }
}
