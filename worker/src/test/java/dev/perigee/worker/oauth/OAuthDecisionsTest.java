package dev.perigee.worker.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.json.Json;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Decisions of OAuth")
final class OAuthDecisionsTest {
    private static final Instant NOW = Instant.parse("2026-11-27T18:00:00Z");
    private static final Duration FIVE = Duration.ofMinutes(5);

    private static AuthorizationOffer offer(boolean namesIssuer) {
        return offer(namesIssuer, "state");
    }

    private static AuthorizationOffer offer(boolean namesIssuer, String state) {
        return new AuthorizationOffer(
                state,
                "verifier",
                "https://as.example/auth?tenant=1",
                "https://as.example/token",
                "https://as.example",
                namesIssuer,
                true,
                "client",
                "https://backend.example/back",
                "https://mcp.example/mcp",
                List.of("read"),
                NOW.plusSeconds(60));
    }

    private static OAuthConfig answer(String state, @Nullable String iss) {
        return new OAuthConfig(
                null, null, null, null, null, null, null, null, List.of(), "code", state, iss);
    }

    @ParameterizedTest
    @CsvSource({
        "true, state, https://as.example, true",
        "true, state, https://as.example/, false",
        "true, state, https://AS.example, false",
        "true, state, , false",
        "false, state, , true",
        "false, state, https://other.example, false",
        "false, other, , false",
        "true, stat, https://as.example, false",
    })
    @DisplayName("CAL-17: an answer is taken with its state and issuer only")
    void checksAnswers(boolean named, String state, @Nullable String iss, boolean taken) {
        assertThat(offer(named).refusal(answer(state, iss), NOW) == null).isEqualTo(taken);
    }

    @Test
    @DisplayName("CAL-17: an answer is taken to the last three offers, to each once")
    void takesEarlierAnswers() {
        var state = new OAuthState("of", null, null, null, null, null);
        for (var each : List.of("1", "2", "3", "4")) {
            state = state.offering(offer(false, each));
        }

        assertThat(state.answered(answer("4", null))).isEqualTo(offer(false, "4"));
        assertThat(state.answered(answer("2", null))).isEqualTo(offer(false, "2"));
        assertThat(state.answered(answer("1", null))).isEqualTo(offer(false, "4"));

        var exchanging = state.exchanging("code", offer(false, "3"));
        assertThat(exchanging.offer()).isEqualTo(offer(false, "3"));
        assertThat(exchanging.isUsed("code")).isTrue();
        assertThat(exchanging.withoutOffer().awaits(answer("3", null))).isFalse();
        assertThat(exchanging.withoutOffer().awaits(answer("4", null))).isTrue();
        var done = exchanging.with(tokens(1L)).withoutOffer();
        assertThat(done.begun()).isNull();
        assertThat(done.offer()).isEqualTo(offer(false, "4"));
        assertThat(done.earlier()).containsExactly(offer(false, "2"));
        assertThat(done.withoutOffer().withoutOffer().offer()).isNull();
    }

    @Test
    @DisplayName("CAL-17: an answer comes too late")
    void expires() {
        assertThat(offer(false).refusal(answer("state", null), NOW.plusSeconds(60)))
                .contains("too late");
    }

    @Test
    @DisplayName("CAL-17: the user is sent with a challenge, and the verifier stays")
    void sendsTheChallenge() {
        assertThat(offer(true).url())
                .startsWith("https://as.example/auth?tenant=1&response_type=code&client_id=client&")
                .contains("&code_challenge_method=S256&")
                .contains("&code_challenge=iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ&")
                .contains("&resource=https%3A%2F%2Fmcp.example%2Fmcp&")
                .contains("scope=read+offline_access")
                .doesNotContain("verifier");
        assertThat(offer(true).toString()).doesNotContain("state").doesNotContain("verifier");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://as.example",
                "http://10.0.0.1",
                "ftp://as.example",
                "javascript:alert(1)",
                "https://user@as.example",
                "https://as.example#f",
                "as.example",
                "https://",
                "http://localhost.example",
                ""
            })
    @DisplayName("CAL-17: an address is https, or this machine's")
    void refusesAddresses(String text) {
        assertThatThrownBy(() -> OAuthAddress.of(text, "issuer"))
                .isInstanceOfSatisfying(
                        OAuthException.class, e -> assertThat(e.isFinal()).isTrue());
    }

    @Test
    @DisplayName("CAL-17: metadata is looked for where the specification says")
    void looksWhereItIsSaid() throws Exception {
        assertThat(OAuthAddress.ofIssuer(OAuthAddress.of("https://as.example/t", "issuer")))
                .map(URI::toString)
                .containsExactly(
                        "https://as.example/.well-known/oauth-authorization-server/t",
                        "https://as.example/.well-known/openid-configuration/t",
                        "https://as.example/t/.well-known/openid-configuration");
        assertThat(OAuthAddress.ofIssuer(OAuthAddress.of("http://127.0.0.1:1/", "issuer")))
                .hasSize(2);
        assertThat(OAuthAddress.ofResource(URI.create("https://mcp.example/a/mcp?x=1")))
                .map(URI::toString)
                .containsExactly(
                        "https://mcp.example/.well-known/oauth-protected-resource/a/mcp",
                        "https://mcp.example/.well-known/oauth-protected-resource");
    }

    @ParameterizedTest
    @CsvSource({
        "https://mcp.example/a/mcp, true",
        "https://mcp.example/a, true",
        "https://MCP.example:443, true",
        "https://mcp.example/a/m, false",
        "https://mcp.example/a/mcp/more, false",
        "https://mcp.example:444/a/mcp, false",
        "https://other.example/a/mcp, false",
    })
    @DisplayName("CAL-17: no token is asked for that another server would take")
    void coversTheServer(String resource, boolean covers) throws Exception {
        assertThat(ResourceMetadata.covers(resource, URI.create("https://mcp.example/a/mcp")))
                .isEqualTo(covers);
    }

    @Test
    @DisplayName("CAL-17: metadata of another issuer is refused")
    void checksTheIssuer() {
        var document =
                Json.tree(
                        "{\"issuer\":\"https://b.example\",\"token_endpoint\":\"https://b.example/t\"}"
                                .getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> ServerMetadata.of(document, "https://a.example"))
                .isInstanceOf(OAuthException.class)
                .hasMessageContaining("another issuer");
    }

    private static Tokens tokens(@Nullable Long seconds) {
        return new Tokens(
                "access-secret",
                "refresh-secret",
                seconds == null ? null : NOW.plusSeconds(seconds),
                NOW,
                "https://as.example/token",
                null,
                "client",
                null,
                List.of("read"));
    }

    @Test
    @DisplayName("CAL-17: tokens are refreshed before they expire, short ones later in their time")
    void refreshesBefore() {
        assertThat(tokens(3600L).refreshAt(FIVE, 0)).isEqualTo(NOW.plusSeconds(3300));
        assertThat(tokens(3600L).refreshAt(FIVE, 1)).isEqualTo(NOW.plusSeconds(3150));
        assertThat(tokens(60L).refreshAt(FIVE, 0)).isEqualTo(NOW.plusSeconds(40));
        assertThat(tokens(-60L).refreshAt(FIVE, 1)).isEqualTo(NOW.minusSeconds(60));
        assertThat(tokens(null).refreshAt(FIVE, 0)).isNull();
        assertThat(tokens(60L).withoutRefresh().refreshAt(FIVE, 0)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0001-01-01T00:00:00Z, ",
        "1969-12-31T23:59:59Z, ",
        "9999-12-31T23:59:59Z, 9999-12-31T23:54:59Z",
        "+1000000000-12-31T23:59:59Z, +1000000000-12-31T23:54:59Z",
    })
    @DisplayName("CAL-17: any time is one, or none, to expire at")
    void takesAnyTime(Instant end, @Nullable Instant refreshed) {
        var config =
                new OAuthConfig(
                        "access",
                        "refresh",
                        end,
                        "https://as.example/token",
                        null,
                        "client",
                        null,
                        null,
                        List.of(),
                        null,
                        null,
                        null);

        var tokens = Objects.requireNonNull(Tokens.of(config, NOW));

        assertThat(tokens.refreshAt(FIVE, 0)).isEqualTo(refreshed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"with blank", "\r\nX: y", "long"})
    @DisplayName("CAL-17: a refresh token that is too much is none")
    void boundsRefreshTokens(String token) {
        var next = token.equals("long") ? "x".repeat(16 * 1024 + 1) : token;
        var answer = Json.write(Map.of("access_token", "a", "refresh_token", next));
        assertThatThrownBy(() -> tokens(1L).replacedBy(Json.tree(answer), NOW))
                .isInstanceOf(OAuthException.class);
    }

    @Test
    @DisplayName("CAL-17: what is not rotated is kept, and nothing is shown")
    void replaces() throws Exception {
        var next =
                tokens(1L)
                        .replacedBy(
                                Json.tree(
                                        "{\"access_token\":\"a2\",\"expires_in\":9}"
                                                .getBytes(StandardCharsets.UTF_8)),
                                NOW);
        assertThat(next.accessToken()).isEqualTo("a2");
        assertThat(next.refreshToken()).isEqualTo("refresh-secret");
        assertThat(next.expiresAt()).isEqualTo(NOW.plusSeconds(9));
        assertThat(next.scopes()).containsExactly("read");
        assertThat(new OAuthState("of", tokens(1L), null, offer(true), "used", null).toString())
                .doesNotContain("secret")
                .doesNotContain("verifier");
        assertThatThrownBy(
                        () ->
                                tokens(1L)
                                        .replacedBy(
                                                Json.tree(
                                                        "{\"access_token\":\"a\\r\\nX: y\"}"
                                                                .getBytes(StandardCharsets.UTF_8)),
                                                NOW))
                .isInstanceOf(OAuthException.class);
    }
}
