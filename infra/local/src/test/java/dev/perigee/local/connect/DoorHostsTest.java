package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: names of a door")
final class DoorHostsTest {
    private final DoorHosts hosts = new DoorHosts(List.of("MCP.example.org", "::2"));

    @Test
    @DisplayName("are those of this machine and those that are given")
    void allow() {
        assertThat(hosts.allow("localhost:7090", null)).isTrue();
        assertThat(hosts.allow("127.0.0.1:1", "http://localhost:3000")).isTrue();
        assertThat(hosts.allow("[::1]:7090", "https://[::2]")).isTrue();
        assertThat(hosts.allow("mcp.example.org", "https://mcp.EXAMPLE.org")).isTrue();
    }

    @Test
    @DisplayName("and no others, in neither header")
    void refuse() {
        assertThat(hosts.allow(null, null)).isFalse();
        assertThat(hosts.allow("evil.example", null)).isFalse();
        assertThat(hosts.allow("localhost.evil.example", null)).isFalse();
        assertThat(hosts.allow("localhost", "http://evil.example")).isFalse();
        assertThat(hosts.allow("localhost", "null")).isFalse();
        assertThat(hosts.allow("localhost", "file://localhost")).isFalse();
        assertThat(hosts.allow("localhost@evil.example", null)).isFalse();
        assertThat(hosts.allow("evil.example@localhost", null)).isFalse();
    }
}
