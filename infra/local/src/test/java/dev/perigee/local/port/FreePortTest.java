package dev.perigee.local.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A port that is picked ahead")
final class FreePortTest {
    private static final String HOST = "127.0.0.1";

    @Test
    @DisplayName("is none that the kernel hands out, and free")
    void isOutsideOfTheEphemeralRange() throws Exception {
        var ephemeral = PortRange.ephemeral();
        for (int pick = 0; pick < 50; pick++) {
            int port = FreePort.on(HOST);
            assertThat(ephemeral.contains(port)).as("%d of %s", port, ephemeral).isFalse();
            assertThat(FreePort.isTaken(new HostPort(HOST, port))).isFalse();
        }
    }

    @Test
    @DisplayName("is picked by one of several that pick at the same time")
    void isPickedOnce() throws Exception {
        int first = FreePort.on(HOST);
        var range = new PortRange(first + 1, first + 16);
        var pickers = List.of(new FreePorts(range, _ -> 0), new FreePorts(range, _ -> 0));
        var picked = new ArrayList<Integer>();
        assertThatThrownBy(
                        () -> {
                            while (picked.size() <= range.size()) {
                                for (var picker : pickers) {
                                    picked.add(picker.on(HOST));
                                }
                            }
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No free port of " + range);
        assertThat(picked).hasSizeGreaterThan(2).allMatch(range::contains);
        assertThat(new HashSet<>(picked)).hasSameSizeAs(picked);
    }

    @Test
    @DisplayName("is not one that somebody listens on")
    void isNotTaken() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = other.getLocalPort();
            var range = new PortRange(taken, taken + 15);
            assertThat(new FreePorts(range, _ -> 0).on(HOST)).isBetween(taken + 1, range.last());
        }
    }

    @ParameterizedTest(name = "{0}-{1}: {2}-{3}")
    @CsvSource({
        "32768,60999,16384,32767",
        "10000,30000,30001,65535",
        "1024,65535,16384,65535",
        "1024,65000,16384,65535"
    })
    @DisplayName("is below those that the kernel hands out, or else above them")
    void isOfARange(int first, int last, int from, int to) {
        assertThat(PortRange.besides(new PortRange(first, last)))
                .isEqualTo(new PortRange(from, to));
    }
}
