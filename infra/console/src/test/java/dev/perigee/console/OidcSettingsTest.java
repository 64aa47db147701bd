package dev.perigee.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.settings.InvalidSettingsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-05: settings of the console's login by OpenID Connect")
final class OidcSettingsTest {
    private static final Map<String, String> WHOLE =
            Map.of(
                    "console.oidc.issuer", "https://id.example/realm",
                    "console.oidc.client-id", "perigee",
                    "console.oidc.client-secret", "hide-me",
                    "console.oidc.redirect-url", "https://console.example/console/oidc/callback",
                    "console.oidc.role-claim", "realm_access.roles",
                    "console.oidc.read-values", "staff, everybody",
                    "console.oidc.admin-values", "chiefs");

    private static OidcClient client(Map<String, String> changes) {
        var texts = new HashMap<>(WHOLE);
        texts.putAll(changes);
        return Objects.requireNonNull(OidcClient.of(ConsoleSettings.OWN.read(texts)));
    }

    @Test
    void isOffByDefault() {
        assertThat(OidcClient.of(ConsoleSettings.OWN.defaults())).isNull();
    }

    @Test
    void readsEveryKey() {
        var client = client(Map.of("console.oidc.scopes", "groups"));

        assertThat(client.issuer()).isEqualTo("https://id.example/realm");
        assertThat(client.id()).isEqualTo("perigee");
        assertThat(client.secret()).isEqualTo("hide-me");
        assertThat(client.scopes()).containsExactly("openid", "groups");
        assertThat(client.values().get(ActionRole.READ)).containsOnly("staff", "everybody");
        assertThat(client.values().get(ActionRole.OPERATE)).isEmpty();
        assertThat(client.isSecure()).isTrue();
        assertThat(client.toString()).doesNotContain("hide-me");
        assertThat(ConsoleSettings.OWN.read(WHOLE).toString()).doesNotContain("hide-me");
    }

    @ParameterizedTest
    @CsvSource({
        "console.oidc.issuer,http://id.example/realm",
        "console.oidc.redirect-url,http://console.example/console/oidc/callback",
        "console.oidc.redirect-url,https://console.example/console/",
        "console.oidc.client-id,''"
    })
    void refusesWhatCannotWork(String key, String value) {
        assertThatThrownBy(() -> client(Map.of(key, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(key)
                .hasMessageNotContaining("hide-me");
    }

    @ParameterizedTest
    @CsvSource({
        "console.oidc.issuer",
        "console.oidc.client-id",
        "console.oidc.redirect-url",
    })
    void refusesWhatLacksAKey(String key) {
        var texts = new HashMap<>(WHOLE);
        texts.remove(key);

        assertThatThrownBy(() -> ConsoleSettings.OWN.read(texts))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(key);
    }

    @Test
    void refusesRolesForNobody() {
        var texts = new HashMap<>(WHOLE);
        texts.keySet().removeIf(key -> key.endsWith("-values"));

        assertThatThrownBy(() -> ConsoleSettings.OWN.read(texts))
                .hasMessageContaining("nobody would have a role");
    }

    @Test
    @DisplayName("the highest role of a person counts, by a claim within others or of that name")
    void takesTheHighestRole() throws Exception {
        var client = client(Map.of("console.oidc.operate-values", "ops"));
        Map<String, Object> nested =
                Map.of(
                        "sub",
                        "0815",
                        "preferred_username",
                        "olga",
                        "realm_access",
                        Map.of("roles", List.of(7, "staff", "ops")));

        assertThat(client.person(nested))
                .isEqualTo(new Person("oidc:olga (0815)", ActionRole.OPERATE));
        assertThat(client.person(Map.of("sub", "1", "realm_access.roles", "chiefs")))
                .isEqualTo(new Person("oidc:1", ActionRole.ADMIN));
    }

    @Test
    @DisplayName("a role within others is found beside a token that has some of these")
    void takesARoleFromElsewhere() throws Exception {
        Map<String, Object> told =
                Map.of("sub", "1", "realm_access", Map.of("roles", List.of("chiefs")));
        Map<String, Object> claims = Map.of("sub", "1", "realm_access", Map.of("groups", "x"));

        assertThat(client(Map.of()).person(claims, told))
                .isEqualTo(new Person("oidc:1", ActionRole.ADMIN));
    }

    @ParameterizedTest
    @CsvSource({"''", "' '", "a\u202eb", "a\u0000b", "olga\u00a0", "o\u0308lga", "0815", "7"})
    @DisplayName("a name that cannot be shown gives way to the subject")
    void takesPlainNames(String name) throws Exception {
        var client = client(Map.of());
        Map<String, Object> claims =
                Map.of(
                        "preferred_username",
                        name.equals("7") ? Integer.valueOf(7) : name,
                        "sub",
                        "0815",
                        "realm_access.roles",
                        "staff");

        assertThat(client.person(claims).name()).isEqualTo("oidc:0815");
    }

    @Test
    @DisplayName("two people of one name at the provider are two in the audit topic")
    void tellsPeopleOfOneNameApart() throws Exception {
        var client = client(Map.of());

        assertThat(client.person(named(" olga ", "1")).name()).isEqualTo("oidc:olga (1)");
        assertThat(client.person(named("olga", "2")).name()).isEqualTo("oidc:olga (2)");
        assertThat(client.person(named("olga (1)", "2")).name()).isEqualTo("oidc:olga (1) (2)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " 1", "1\u00a0", "1\u200b", "olga (1)"})
    void refusesWhoHasNoSubject(String subject) {
        assertNoSubject(named("olga", subject));
    }

    @Test
    void refusesWhoHasALongSubjectOrNone() {
        assertNoSubject(named("olga", "n".repeat(256)));
        assertNoSubject(Map.of("preferred_username", "olga", "realm_access.roles", "staff"));
    }

    private static void assertNoSubject(Map<String, Object> claims) {
        assertThatThrownBy(() -> client(Map.of()).person(claims))
                .isInstanceOf(LoginRefusedException.class)
                .hasMessageContaining("claim sub");
    }

    private static Map<String, Object> named(String name, String subject) {
        return Map.of("preferred_username", name, "sub", subject, "realm_access.roles", "staff");
    }
}
