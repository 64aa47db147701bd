package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.testing.fleet.Installation;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gateway on a machine whose clock nobody sets; the broker's is right. */
@DisplayName("OWN-21: a gateway whose clock is off")
final class ClockOffTest {
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());

    @ParameterizedTest(name = "by {0} s expires no request, and says so")
    @CsvSource({"120, ahead of", "-120, behind"})
    void expiresNothing(long seconds, String side) throws Exception {
        InstantSource off = () -> Instant.now().plusSeconds(seconds);
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var gateway = test.start("a", Map.of(), off)) {
            // A comparison that took too long does not count; the next is half a minute later.
            await().until(() -> GatewayUnderTest.saysNotReady(gateway, "clock is 120 s " + side));
            test.backend.install(installation);

            assertThat(test.backend.call(installation, "echo", "{}").text("outcome"))
                    .isEqualTo("success");
            assertThat(gateway.metrics().get("perigee.gateway.clock.ahead").gauge().value())
                    .isBetween(seconds - 2.0, seconds + 2.0);
        }
    }
}
