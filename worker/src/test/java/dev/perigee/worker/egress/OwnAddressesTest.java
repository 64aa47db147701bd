package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The addresses of this machine")
final class OwnAddressesTest {
    private static final InetAddress FIRST = InetAddress.ofLiteral("203.0.113.9");
    private static final InetAddress SECOND = InetAddress.ofLiteral("2001:db8::9");

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger readings = new AtomicInteger();
    private final Set<InetAddress> present = new HashSet<>(Set.of(FIRST));

    private final OwnAddresses own =
            new OwnAddresses(
                    () -> {
                        readings.incrementAndGet();
                        return Set.copyOf(present);
                    },
                    now::get);

    @Test
    @DisplayName("are read once in a second, however often they are asked for")
    void areReadSeldom() {
        for (int time = 0; time < 1000; time++) {
            assertThat(own.test(FIRST)).isTrue();
            assertThat(own.test(SECOND)).isFalse();
        }
        assertThat(readings).hasValue(1);
        present.add(SECOND);
        now.addAndGet(OwnAddresses.KEPT.toNanos() - 1);
        assertThat(own.test(SECOND)).isFalse();
        now.addAndGet(1);
        assertThat(own.test(SECOND)).isTrue();
        assertThat(readings).hasValue(2);
    }

    @Test
    @DisplayName("are all of loopback, the unspecified one, and those of IPv6 that lead to them")
    void haveOtherForms() {
        for (var form :
                List.of(
                        "127.0.0.1",
                        "127.9.9.9",
                        "0.0.0.0",
                        "::",
                        "::1",
                        "::ffff:203.0.113.9",
                        "64:ff9b::cb00:7109",
                        "2002:cb00:7109::1",
                        "64:ff9b::7f00:1")) {
            assertThat(own.test(InetAddress.ofLiteral(form))).as(form).isTrue();
        }
        for (var other : List.of("203.0.113.8", "64:ff9b::cb00:7108", "2002:cb00:7108::1")) {
            assertThat(own.test(InetAddress.ofLiteral(other))).as(other).isFalse();
        }
    }

    @Test
    @DisplayName("are all where the system does not say which")
    void areAll() {
        var unknown =
                new OwnAddresses(
                        () -> {
                            throw new SocketException("none");
                        },
                        now::get);
        assertThat(unknown.test(FIRST)).isTrue();
    }

    @Test
    @DisplayName("are those of its interfaces")
    void areReal() {
        var real = OwnAddresses.ofThisMachine();
        assertThat(real.test(InetAddress.ofLiteral("127.0.0.1"))).isTrue();
        assertThat(real.test(FIRST)).isFalse();
    }
}
