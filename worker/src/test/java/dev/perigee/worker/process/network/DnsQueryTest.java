package dev.perigee.worker.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A question for a name")
final class DnsQueryTest {
    private static final InetAddress IPV4 = InetAddress.ofLiteral("93.184.215.14");
    private static final InetAddress IPV6 = InetAddress.ofLiteral("2606:2800::1");

    private static byte[] message(int flags, int questions, String name, int type) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(
                ByteBuffer.allocate(12)
                        .putShort((short) 0x1234)
                        .putShort((short) flags)
                        .putShort((short) questions)
                        .array());
        for (var label : name.split("\\.")) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.write(0);
        out.writeBytes(ByteBuffer.allocate(4).putShort((short) type).putShort((short) 1).array());
        return out.toByteArray();
    }

    private static DnsQuery query(String name, int type) {
        return Objects.requireNonNull(DnsQuery.parse(message(0x100, 1, name, type)));
    }

    @Test
    void isRead() {
        var query = query("Example.COM", DnsQuery.AAAA);
        assertThat(query.name()).isEqualTo("example.com");
        assertThat(query.id()).isEqualTo((short) 0x1234);
        assertThat(query.asksForHost()).isTrue();
        assertThat(query("example.com", 16).asksForHost()).isFalse();
        assertThat(query("a.LOCALHOST", DnsQuery.A).isLocal()).isTrue();
    }

    @Test
    @DisplayName("TEN-06: what is written like an address is no host")
    void isNoAddress() {
        for (var name : List.of("10.0.0.1", "1", "0x7f000001", "a.0x7f", "a b.c", "a\0.b", "é.x")) {
            assertThat(query(name, DnsQuery.A).asksForHost()).as(name).isFalse();
        }
        for (var name : List.of("a", "_srv.a-b.c1", "1.a", "xn--bcher-kva.example", "x0.0a")) {
            assertThat(query(name, DnsQuery.A).asksForHost()).as(name).isTrue();
        }
    }

    @Test
    void isNoneThatHasNoAnswer() {
        assertThat(DnsQuery.parse(new byte[11])).isNull();
        assertThat(DnsQuery.parse(message(0x8100, 1, "a", 1))).as("an answer").isNull();
        assertThat(DnsQuery.parse(message(0x2800, 1, "a", 1))).as("an update").isNull();
        assertThat(DnsQuery.parse(message(0x100, 2, "a", 1))).isNull();
        assertThat(DnsQuery.parse(message(0x100, 1, "a".repeat(64), 1))).isNull();
        assertThat(DnsQuery.parse(message(0x100, 1, "a.".repeat(140) + "a", 1))).isNull();
        var whole = message(0x100, 1, "example.com", 1);
        for (int length = 0; length < whole.length; length++) {
            assertThat(DnsQuery.parse(Arrays.copyOf(whole, length))).isNull();
        }
    }

    @Test
    @DisplayName("is read from any bytes without an exception")
    void survives() {
        var random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            var bytes = message(0x100, 1, "example.com", 1);
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            var query = DnsQuery.parse(bytes);
            if (query != null) {
                assertThat(query.answer(DnsQuery.Outcome.FOUND, List.of(IPV4)))
                        .hasSizeLessThanOrEqualTo(512);
            }
        }
    }

    @Test
    void isAnsweredWithAddressesOfItsKind() {
        var ipv4 = query("example.com", DnsQuery.A).answer(found(), List.of(IPV6, IPV4));
        assertThat(ipv4).hasSize(12 + 17 + 16).startsWith(0x12, 0x34, 0x81, 0x80, 0, 1, 0, 1);
        assertThat(Arrays.copyOfRange(ipv4, ipv4.length - 4, ipv4.length))
                .isEqualTo(IPV4.getAddress());
        var ipv6 = query("example.com", DnsQuery.AAAA).answer(found(), List.of(IPV6, IPV4));
        assertThat(ipv6).hasSize(12 + 17 + 28);
        assertThat(
                        query("example.com", DnsQuery.A)
                                .answer(DnsQuery.Outcome.NO_SUCH_NAME, List.of()))
                .hasSize(12 + 17)
                .startsWith(0x12, 0x34, 0x81, 0x83, 0, 1, 0, 0);
    }

    @Test
    void fitsIntoADatagram() {
        var many = Stream.generate(() -> IPV6).limit(200).toList();
        var longest = String.join(".", List.of("a".repeat(63), "b".repeat(63), "c".repeat(63)));
        var answer = query(longest, DnsQuery.AAAA).answer(found(), many);
        assertThat(answer).hasSizeLessThanOrEqualTo(512).hasSizeGreaterThan(400);
    }

    private static DnsQuery.Outcome found() {
        return DnsQuery.Outcome.FOUND;
    }
}
