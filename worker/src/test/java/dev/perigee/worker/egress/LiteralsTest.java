package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("TEN-06: a host that is an address without a lookup")
final class LiteralsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.0.0.1.",
                "127.1",
                "2130706433",
                "0x7f000001",
                "0X7F000001",
                "0x7f.1",
                "0177.0.0.1",
                "017700000001",
                "0x7f.0x0.0x1",
                "localhost",
                "LOCALHOST.",
                "a.localhost"
            })
    @DisplayName("is seen in whatever form it is written")
    void loopback(String host) {
        assertThat(Literals.isAddress(host)).isTrue();
        assertThat(Literals.addresses(host)).anyMatch(InetAddress::isLoopbackAddress);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "localhost.example.com",
                "mylocalhost",
                "256.1.1.1.1",
                "1.2.3.256",
                "4294967296",
                "0x",
                "08.1.1.1.1",
                "a.1",
                "1.-2",
                "+1",
                "",
                "."
            })
    @DisplayName("is no name")
    void names(String host) {
        assertThat(Literals.addresses(host)).isEmpty();
    }

    @Test
    @DisplayName("counts by each way in which it is read")
    void ambiguous() {
        assertThat(Literals.addresses("0177.0.0.1"))
                .extracting(InetAddress::getHostAddress)
                .contains("127.0.0.1", "177.0.0.1");
        assertThat(Literals.addresses("[::ffff:7f00:1]")).hasSize(1);
    }
}
