package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: plain secrets in a configuration")
final class PlainSecretsTest {
    private static final Owner OWNER = new Owner("t", "t", "u", "u");
    private static final String REFERENCE = SecretReference.to("name");

    private static ServerConfigBuilder program(String... args) {
        return new ServerConfigBuilder("i", "s", OWNER, TransportType.STDIO, "node", List.of(args));
    }

    private static ServerConfigBuilder elsewhere(String url) {
        return ServerConfigBuilder.elsewhere("i", "s", OWNER, TransportType.HTTP, url);
    }

    private static void refused(ServerConfigBuilder builder, String field) {
        var config = builder.build();
        assertThat(PlainSecrets.FORBID.refusal(config))
                .contains("field " + field + " ")
                .contains("secrets.plain=forbid")
                .doesNotContain("s3cret");
        assertThat(PlainSecrets.ALLOW.refusal(config)).isNull();
    }

    private static void taken(ServerConfig config) {
        assertThat(PlainSecrets.FORBID.refusal(config)).isNull();
    }

    @Test
    @DisplayName("are refused by their field where they are forbidden")
    void refuses() {
        refused(program().env(Map.of("A", REFERENCE, "B", "s3cret")), "config.env.B");
        refused(
                elsewhere("http://h/mcp").headers(Map.of("Authorization", "Bearer s3cret")),
                "config.headers.Authorization");
        refused(
                elsewhere("http://h/mcp").urlQueryParams(Map.of("key", "s3cret")),
                "config.url_query_params.key");
        refused(program("server.mjs", "--api-key", "s3cret"), "config.args[2]");
        refused(elsewhere("http://user:s3cret@h/mcp"), "config.url");
        refused(elsewhere("http://h/mcp?api_key=s3cret"), "config.url");
    }

    @Test
    @DisplayName("CAL-17: tokens are such, what a redirect brought is not")
    void tokens() {
        refused(elsewhere("http://h/mcp").oauth(oauth("s3cret", null)), "config.oauth");
        taken(elsewhere("http://h/mcp").oauth(oauth(null, "s3cret")).build());
    }

    private static OAuthConfig oauth(@Nullable String token, @Nullable String code) {
        return new OAuthConfig(
                token, null, null, null, null, null, null, null, List.of(), code, "state", null);
    }

    @Test
    @DisplayName("are not seen in references, nor in what is known to be harmless")
    void takes() {
        taken(
                program("server.mjs", "--port", "8080")
                        .env(Map.of("KEY", REFERENCE, "NODE_ENV", "production", "EMPTY", ""))
                        .build());
        taken(
                elsewhere("https://h/mcp?version=2")
                        .headers(Map.of("Authorization", REFERENCE, "User-Agent", "perigee"))
                        .urlQueryParams(Map.of("token", REFERENCE, "lang", "en"))
                        .build());
    }

    @Test
    @DisplayName("are no business of a text that only looks like a reference")
    void lookalike() {
        refused(program().env(Map.of("B", "{\"ref\":\"s3cret\"}")), "config.env.B");
        refused(program().env(Map.of("B", "\0ref:../s3cret")), "config.env.B");
    }
}
