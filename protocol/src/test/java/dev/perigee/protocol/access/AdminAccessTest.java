package dev.perigee.protocol.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.InvalidSettingsException;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.SettingsSchema;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminAccessTest {
    private static final Setting<HostPort> LISTEN =
            Setting.of("admin.listen", SettingType.hostPort(), "127.0.0.1:0", "Where.");
    private static final SettingsSchema SCHEMA = AdminAccessSettings.schema("part", LISTEN);

    /** The status of a refusal, 200 where there is none. */
    private static int ask(AdminAccess access, Map<String, String> headers) {
        return status(access.refusal(headers::get));
    }

    private static int status(AdminAccess.@Nullable Refusal refusal) {
        return refusal == null ? 200 : refusal.status();
    }

    @Test
    void asksForTheToken() {
        for (var open : new boolean[] {true, false}) {
            var access = new AdminAccess("s3cret", open, false);
            assertThat(ask(access, Map.of("Authorization", "Bearer s3cret"))).isEqualTo(200);
            assertThat(ask(access, Map.of("Authorization", "bearer  s3cret "))).isEqualTo(200);
            assertThat(ask(access, Map.of())).isEqualTo(401);
            assertThat(ask(access, Map.of("Authorization", "Bearer s3cre"))).isEqualTo(401);
            assertThat(ask(access, Map.of("Authorization", "Bearer "))).isEqualTo(401);
            assertThat(ask(access, Map.of("Authorization", "Basic s3cret"))).isEqualTo(401);
        }
    }

    @Test
    void letsNobodyInWhereOthersAreAndNoTokenIs() {
        var access = new AdminAccess(null, false, false);
        assertThat(ask(access, Map.of("Host", "127.0.0.1:7071"))).isEqualTo(403);
        assertThat(ask(access, Map.of("Authorization", "Bearer s3cret"))).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:7071, , 200",
        "localhost, , 200",
        "LOCALHOST:80, , 200",
        "[::1]:7071, , 200",
        "[::1], , 200",
        ", , 200",
        "127.0.0.1:7071, http://127.0.0.1:7071, 200",
        "rebound.example:7071, , 403",
        "rebound.example:7071, http://rebound.example:7071, 403",
        "127.0.0.1:7071, http://evil.example, 403",
        "127.0.0.1:7071, http://127.0.0.1:8080, 403",
        "127.0.0.1:7071, null, 403",
        ", http://evil.example, 403",
    })
    void refusesPagesOfElsewhereInABrowserOfThisMachine(
            @Nullable String host, @Nullable String origin, int status) {
        var access = new AdminAccess(null, true, false);
        assertThat(
                        status(
                                access.refusal(
                                        name ->
                                                switch (name) {
                                                    case "Host" -> host;
                                                    case "Origin" -> origin;
                                                    default -> null;
                                                })))
                .isEqualTo(status);
    }

    @Test
    void opensTheMetricsAlone() {
        var access = new AdminAccess("s3cret", false, true);
        assertThat(access.metricsRefusal(name -> null)).isNull();
        assertThat(ask(access, Map.of())).isEqualTo(401);
        assertThat(status(new AdminAccess("s3cret", false, false).metricsRefusal(name -> null)))
                .isEqualTo(401);
    }

    @Test
    void wantsATokenOffLoopback() {
        for (var others : new String[] {"0.0.0.0:7071", "[::]:7071", "192.0.2.1:7071"}) {
            assertThatThrownBy(() -> SCHEMA.read(Map.of("admin.listen", others)))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("admin.token must be set")
                    .hasMessageContaining(others);
            assertThat(SCHEMA.read(Map.of("admin.listen", others, "admin.token", "t"))).isNotNull();
        }
        assertThatThrownBy(() -> SCHEMA.read(Map.of("admin.token", " ")))
                .isInstanceOf(InvalidSettingsException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "localhost:0", "[::1]:0", "127.0.0.2:0"})
    void needsNoneOnLoopbackUnlessOthersAreThere(String listen) {
        var settings = SCHEMA.read(Map.of("admin.listen", listen));
        assertThat(ask(AdminAccessSettings.read(settings, LISTEN, false), Map.of())).isEqualTo(200);
        assertThat(ask(AdminAccessSettings.read(settings, LISTEN, true), Map.of())).isEqualTo(403);
    }

    @Test
    void neverShowsTheToken() {
        var settings = SCHEMA.read(Map.of("admin.token", "s3cret"));
        assertThat(settings.toString()).doesNotContain("s3cret");
    }
}
