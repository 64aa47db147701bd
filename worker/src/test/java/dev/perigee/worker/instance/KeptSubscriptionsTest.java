package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-09: subscriptions that are kept")
final class KeptSubscriptionsTest {
    private final Subscriptions subscriptions = new Subscriptions();

    @Test
    @DisplayName("are a set in the order of their requests")
    void set() {
        assertThat(subscriptions.stored()).isNull();
        assertThat(subscriptions.add("b")).isTrue();
        assertThat(subscriptions.add("a")).isTrue();
        assertThat(subscriptions.add("b")).isFalse();
        assertThat(subscriptions.all()).containsExactly("b", "a");
        assertThat(subscriptions.with("c")).containsExactly("b", "a", "c");
        assertThat(subscriptions.remove("b")).isTrue();
        assertThat(subscriptions.remove("b")).isFalse();
        assertThat(subscriptions.stored()).containsExactly("a");
    }

    @Test
    @DisplayName("are bounded in number, one by one and together")
    void bounded() {
        assertThat(subscriptions.add("x".repeat(2049))).isFalse();
        var long1 = "ü".repeat(1024);
        IntStream.range(0, 15).forEach(n -> subscriptions.add(n + long1.substring(1)));
        assertThat(subscriptions.hasRoom("y".repeat(2048))).isTrue();
        assertThat(subscriptions.add("y".repeat(2048))).isTrue();
        assertThat(subscriptions.hasRoom("z".repeat(2048))).isFalse();
        assertThat(subscriptions.hasRoom("y".repeat(2048))).isTrue();

        subscriptions.restore(IntStream.range(0, 200).mapToObj(n -> "u" + n).toList());
        assertThat(subscriptions.count()).isEqualTo(Subscriptions.MAX_URIS);
        assertThat(subscriptions.add("another")).isFalse();
        subscriptions.remove("u7");
        assertThat(subscriptions.add("another")).isTrue();
    }

    @Test
    @DisplayName("are part of the durable state, which has no field for none")
    void durable() {
        var without = new DurableState(null, null, true, List.of(), Set.of(), null);
        assertThat(without.write().text()).doesNotContain("subscriptions");
        assertThat(DurableState.read(RawJson.of("{\"synced\":true}")).subscriptions()).isNull();

        var with = new DurableState(null, null, true, List.of(), Set.of(), null, List.of("b", "a"));
        assertThat(DurableState.read(with.write())).isEqualTo(with);
    }

    @Test
    @DisplayName("are changed by one at a time, who does not wait for ever")
    void oneAtATime() throws Exception {
        assertThat(subscriptions.begin(Duration.ZERO)).isTrue();
        var other =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        if (!subscriptions.begin(Duration.ofMillis(10))) {
                                            subscriptions.add("not in time");
                                        }
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        assertThat(other.join(Duration.ofSeconds(20))).isTrue();
        subscriptions.end();
        assertThat(subscriptions.all()).containsExactly("not in time");
    }
}
