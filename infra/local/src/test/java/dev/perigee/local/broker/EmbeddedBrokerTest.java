package dev.perigee.local.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.settings.HostPort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {
    @TempDir Path data;

    @Test
    void keepsRecordsAcrossARestart() throws Exception {
        try (var broker = EmbeddedBroker.start(data)) {
            RoundTrip.createTopic(broker.bootstrap(), "kept");
            RoundTrip.produce(broker.bootstrap(), "kept", "first");
        }
        try (var broker = EmbeddedBroker.start(data)) {
            RoundTrip.produce(broker.bootstrap(), "kept", "second");
            assertThat(RoundTrip.consume(broker.bootstrap(), "kept", 2))
                    .containsExactly("first", "second");
        }
    }

    @Test
    void takesRecordsAsLargeAsADeadLetter() throws Exception {
        try (var broker = EmbeddedBroker.start(data)) {
            RoundTrip.createTopic(broker.bootstrap(), "large");
            var large = "x".repeat(19 << 20);
            RoundTrip.produce(broker.bootstrap(), "large", large);
            assertThat(RoundTrip.consume(broker.bootstrap(), "large", 1).getFirst().length())
                    .isEqualTo(large.length());
        }
    }

    @Test
    void saysThatItsAddressIsTaken() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = new HostPort("127.0.0.1", other.getLocalPort());
            assertThatThrownBy(() -> EmbeddedBroker.start(address, data, Map.of()))
                    .hasMessageContaining(address + " is in use");
        }
    }

    @Test
    void triesAgainWhenSomebodyElseTookThePort() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var offered = new ArrayDeque<>(List.of(other.getLocalPort()));
            var broker =
                    EmbeddedBroker.start(
                            new HostPort("127.0.0.1", 0),
                            data,
                            Map.of(),
                            host -> offered.isEmpty() ? FreePort.on(host) : offered.pop());
            try (broker) {
                RoundTrip.createTopic(broker.bootstrap(), "topic");
            }
            assertThat(offered).isEmpty();
        }
    }

    @Test
    void saysThatItDidNotStart() {
        var overrides = Map.of("log.segment.bytes", "many");
        assertThatThrownBy(
                        () -> EmbeddedBroker.start(new HostPort("127.0.0.1", 0), data, overrides))
                .hasMessageContaining("The broker did not start: ")
                .hasMessageContaining("log.segment.bytes");
    }
}
