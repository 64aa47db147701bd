package dev.perigee.local.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Servers of a local fleet")
final class ServerTrustTest {
    private static final Map<String, String> NONE = Map.of();
    private static final String THIS_MACHINE = "127.0.0.0/8,::1";

    @Test
    @DisplayName("have no jail, and their workers are given that explicitly")
    void unjailed() {
        assertThat(ServerTrust.of(NONE, Map.of("PERIGEE_WORKER_MODE", "")))
                .isEqualTo(
                        new ServerTrust(
                                Map.of(
                                        "worker.mode", "development",
                                        "isolation.mode", "none",
                                        "egress.allow", THIS_MACHINE),
                                false));
        assertThat(ServerTrust.of(Map.of("worker.mode", "development"), NONE))
                .isEqualTo(
                        new ServerTrust(
                                Map.of("isolation.mode", "none", "egress.allow", THIS_MACHINE),
                                false));
    }

    @Test
    @DisplayName("TEN-16: have the jail that settings or variables ask for")
    void asAsked() {
        for (var mode : new String[] {"auto", "bubblewrap", "nsjail"}) {
            var development =
                    new ServerTrust(
                            Map.of("worker.mode", "development", "egress.allow", THIS_MACHINE),
                            true);
            assertThat(ServerTrust.of(Map.of("isolation.mode", mode), NONE)).isEqualTo(development);
            assertThat(ServerTrust.of(NONE, Map.of("PERIGEE_ISOLATION_MODE", mode)))
                    .isEqualTo(development);
        }
        var production = new ServerTrust(NONE, true);
        assertThat(ServerTrust.of(Map.of("worker.mode", "production"), NONE)).isEqualTo(production);
        assertThat(ServerTrust.of(NONE, Map.of("PERIGEE_WORKER_MODE", "production")))
                .isEqualTo(production);
        // A mode that nothing knows, which workers refuse.
        assertThat(ServerTrust.of(Map.of("worker.mode", "PRODUCTION"), NONE)).isEqualTo(production);
    }

    @Test
    @DisplayName(
            "TEN-07: over HTTP may be where settings or variables let them, else on this machine")
    void reach() {
        assertThat(ServerTrust.of(Map.of("egress.allow", "10.0.0.0/8"), NONE).settings())
                .doesNotContainKey("egress.allow");
        assertThat(ServerTrust.of(NONE, Map.of("PERIGEE_EGRESS_ALLOW", "10.0.0.0/8")).settings())
                .doesNotContainKey("egress.allow");
    }

    @Test
    @DisplayName("a setting goes before a variable")
    void precedence() {
        assertThat(
                        ServerTrust.of(
                                        Map.of("isolation.mode", "none"),
                                        Map.of("PERIGEE_ISOLATION_MODE", "auto"))
                                .jailed())
                .isFalse();
    }
}
