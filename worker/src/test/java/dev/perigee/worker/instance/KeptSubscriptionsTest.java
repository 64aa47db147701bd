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

    private boolean add(String uri) {
        return subscriptions.add(uri, subscriptions.server());
    }

    @Test
    @DisplayName("are not of a server that was replaced while it was asked")
    void otherServer() {
        int asked = subscriptions.server();
        assertThat(subscriptions.clear()).isFalse();
        assertThat(subscriptions.add("of the old one", asked)).isFalse();
        assertThat(add("of the new one")).isTrue();
        assertThat(subscriptions.all()).containsExactly("of the new one");
    }

    @Test
    @DisplayName("are a set in the order of their requests")
    void set() {
        assertThat(subscriptions.stored()).isNull();
        assertThat(add("b")).isTrue();
        assertThat(add("a")).isTrue();
        assertThat(add("b")).isFalse();
        assertThat(subscriptions.all()).containsExactly("b", "a");
        assertThat(subscriptions.with("c")).containsExactly("b", "a", "c");
        assertThat(subscriptions.remove("b")).isTrue();
        assertThat(subscriptions.remove("b")).isFalse();
        assertThat(subscriptions.stored()).containsExactly("a");
    }

    @Test
    @DisplayName("are bounded in number, one by one and together")
    void bounded() {
        assertThat(add("x".repeat(2049))).isFalse();
        var long1 = "ü".repeat(1024);
        IntStream.range(0, 15).forEach(n -> add(n + long1.substring(1)));
        assertThat(subscriptions.hasRoom("y".repeat(2048))).isTrue();
        assertThat(add("y".repeat(2048))).isTrue();
        assertThat(subscriptions.hasRoom("z".repeat(2048))).isFalse();
        assertThat(subscriptions.hasRoom("y".repeat(2048))).isTrue();

        subscriptions.restore(IntStream.range(0, 200).mapToObj(n -> "u" + n).toList());
        assertThat(subscriptions.count()).isEqualTo(Subscriptions.MAX_URIS);
        assertThat(add("another")).isFalse();
        subscriptions.remove("u7");
        assertThat(add("another")).isTrue();
    }

    @Test
    @DisplayName("count as many bytes as the state has of them")
    void escaped() {
        var control = "\u0001".repeat(341);
        assertThat(add(control + "\u0001")).isFalse();
        IntStream.range(0, 20).forEach(n -> add((char) ('a' + n) + control));
        var stored =
                new DurableState(
                        null, null, true, List.of(), Set.of(), null, subscriptions.stored());
        assertThat(subscriptions.count()).isEqualTo(16);
        assertThat(stored.write().size()).isLessThan(Subscriptions.MAX_BYTES + 1024);

        subscriptions.restore(List.of(control.repeat(2), "a"));
        assertThat(subscriptions.all()).containsExactly("a");
    }

    @Test
    @DisplayName("fill an empty set twice at once, and are not toggled without end")
    void toggled() {
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n < Subscriptions.MAX_URIS; n++) {
                assertThat(subscriptions.mayAdd()).isTrue();
                assertThat(add(n + "x".repeat(320))).isTrue();
            }
            subscriptions.restore(null);
        }
        IntStream.range(0, 15).forEach(n -> add(n + "x".repeat(2040)));
        long writes = 0;
        while (subscriptions.mayAdd()) {
            assertThat(add("toggled")).isTrue();
            assertThat(subscriptions.remove("toggled")).isTrue();
            writes += 2;
        }
        assertThat(writes).isBetween(1L, 200L);
    }

    @Test
    @DisplayName("have credit for changes that comes back")
    void credit() {
        var credit = new ChangeCredit(0);
        credit.charge(ChangeCredit.BURST_BYTES + ChangeCredit.BYTES_PER_SECOND / 2);
        assertThat(credit.isLeft(0)).isFalse();
        assertThat(credit.isLeft(400_000_000L)).isFalse();
        assertThat(credit.isLeft(600_000_000L)).isTrue();
        credit.isLeft(Duration.ofDays(1).toNanos());
        credit.charge(ChangeCredit.BURST_BYTES);
        assertThat(credit.isLeft(Duration.ofDays(1).toNanos())).isFalse();
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
                                            add("not in time");
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
