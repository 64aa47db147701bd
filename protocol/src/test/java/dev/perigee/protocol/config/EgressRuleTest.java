package dev.perigee.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An entry of a list of destinations")
final class EgressRuleTest {

    @ParameterizedTest
    @CsvSource({
        "mcp.example.com, mcp.example.com, 8.8.8.8, 443",
        "MCP.Example.com., mcp.example.COM, 8.8.8.8, 443",
        "mcp.example.com, mcp.example.com., 8.8.8.8, 443",
        "mcp.example.com:8443, mcp.example.com, 8.8.8.8, 8443",
        "*.example.com, a.b.example.com, 8.8.8.8, 443",
        "*.example.com:443, a.example.com, 8.8.8.8, 443",
        "*:443, anything.example, 8.8.8.8, 443",
        "*, anything.example, 8.8.8.8, 443",
        "bücher.example, xn--bcher-kva.example, 8.8.8.8, 443",
        "localhost, localhost, 127.0.0.1, 80",
        "8.8.8.8, dns.example, 8.8.8.8, 443",
        "8.8.8.8:53, 8.8.8.8, 8.8.8.8, 53",
        "10.1.2.0/24, a.example, 10.1.2.255, 1",
        "0.0.0.0/0, a.example, 255.1.2.3, 1",
        "fd00:1::/64, a.example, fd00:1::9, 1",
        "[2600::1]:8443, a.example, 2600::1, 8443",
        "[2600::1], a.example, 2600::1, 8443",
        "2600::1, a.example, 2600::1, 8443",
    })
    @DisplayName("stands for hosts, addresses and networks")
    void matches(String entry, String host, String address, int port) {
        assertThat(matches(entry, host, port, address)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "mcp.example.com, other.example.com, 8.8.8.8, 443",
        "mcp.example.com, mcp.example.com.evil.example, 8.8.8.8, 443",
        "mcp.example.com, xmcp.example.com, 8.8.8.8, 443",
        "mcp.example.com:8443, mcp.example.com, 8.8.8.8, 443",
        "*.example.com, example.com, 8.8.8.8, 443",
        "*.example.com, badexample.com, 8.8.8.8, 443",
        "*.example.com:443, a.example.com, 8.8.8.8, 444",
        "*:443, a.example.com, 8.8.8.8, 80",
        "8.8.8.8:53, 8.8.8.8, 8.8.8.8, 443",
        "8.8.8.8, 8.8.8.8, 8.8.4.4, 443",
        "10.1.2.0/24, 10.1.2.9, 10.1.3.0, 1",
        "0.0.0.0/0, a.example, 2600::1, 1",
        "fd00:1::/64, a.example, fd00:1:0:1::9, 1",
        "[2600::1]:8443, a.example, 2600::1, 443",
    })
    @DisplayName("stands for nothing else: the address that is dialled counts, not the text")
    void differs(String entry, String host, String address, int port) {
        assertThat(matches(entry, host, port, address)).isFalse();
    }

    private static boolean matches(String entry, String host, int port, String address) {
        var destination = new EgressRule.Destination(host, InetAddress.ofLiteral(address), port);
        return EgressRule.parse(entry).matches(destination);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "http://a.example",
                "a.example/x",
                "a.example:",
                "a.example:0",
                "a.example:65536",
                "a.example:http",
                "a..example",
                ".example",
                "-a.example",
                "*example.com",
                "a.*.example",
                "**",
                "user@a.example",
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "127.1",
                "1.2.3.4.5",
                "999.1.1.1",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "10.0.0.0/8:443",
                "10.1.2.3/24",
                "fc00::/129",
                "fe80::1%eth0",
                "[2600::1",
                "[2600::1]443",
                "[a.example]",
                "1:2:3",
                "a\n.example"
            })
    @DisplayName("is refused when it is none, with a reason that does not quote it")
    void refuses(String entry) {
        assertThatThrownBy(() -> EgressRule.parse(entry))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(entry.equals("10.1.2.3/24") ? "a network" : "must be");
    }
}
