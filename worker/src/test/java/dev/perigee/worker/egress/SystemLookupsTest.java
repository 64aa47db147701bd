package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A lookup of a name by the system")
final class SystemLookupsTest {
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
        var lookups = new SystemLookups(Duration.ofSeconds(1));
        assertThatThrownBy(
                        () ->
                                lookups.ask(
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
        assertThat(lookups.ask(() -> List.of(ADDRESS))).containsExactly(ADDRESS);
    }

    @Test
    @DisplayName("fails as the system says")
    void fails() {
        var lookups = new SystemLookups(SystemLookups.LONGEST);
        assertThatThrownBy(
                        () ->
                                lookups.ask(
                                        () -> {
                                            throw new UnknownHostException("no.example");
                                        }))
                .isInstanceOf(UnknownHostException.class)
                .hasMessage("no.example");
    }
}
