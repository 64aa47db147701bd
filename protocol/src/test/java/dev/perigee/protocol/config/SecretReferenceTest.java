package dev.perigee.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-13: references to secrets in a configuration")
final class SecretReferenceTest {
    private static final String HEAD =
            """
            {"installation_id":"i","server_slug":"s","team_id":"t","team_slug":"t","user_id":"u",
             "user_slug":"u","transport_type":"stdio","command":"node",\
            """;

    private static ServerConfig read(String rest) {
        return Json.readInput((HEAD + rest).getBytes(StandardCharsets.UTF_8), ServerConfig.class);
    }

    private static ServerConfig withEnv(Map<String, String> env) {
        return new ServerConfigBuilder(
                        "i",
                        "s",
                        new Owner("t", "t", "u", "u"),
                        TransportType.STDIO,
                        "node",
                        List.of())
                .env(env)
                .build();
    }

    @Test
    @DisplayName("are read, and written as they came, in all three places")
    void roundTrip() {
        var config =
                read(
                        """
                        "env":{"A":{"ref":"one"},"B":"plain"},"headers":{"H":{"ref":"two.x"}},
                        "url_query_params":{"Q":{"ref":"3_-"}}}
                        """);

        assertThat(config.references()).containsExactly("3_-", "one", "two.x");
        assertThat(config.env()).containsEntry("B", "plain").containsEntry("A", ref("one"));
        var written = Json.tree(Json.write(config));
        assertThat(written.at("/env/A/ref").asString()).isEqualTo("one");
        assertThat(written.at("/env/B").asString()).isEqualTo("plain");
        assertThat(written.at("/headers/H/ref").asString()).isEqualTo("two.x");
        assertThat(written.at("/url_query_params/Q/ref").asString()).isEqualTo("3_-");
        assertThat(Json.read(Json.write(config), ServerConfig.class)).isEqualTo(config);
        assertThat(config.toString()).doesNotContain("one");
    }

    private static String ref(String name) {
        return SecretReference.to(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"ref\":\"\"}",
                "{\"ref\":null}",
                "{\"ref\":5}",
                "{\"ref\":{\"ref\":\"a\"}}",
                "{\"ref\":\"..\"}",
                "{\"ref\":\".hidden\"}",
                "{\"ref\":\"-flag\"}",
                "{\"ref\":\"a/b\"}",
                "{\"ref\":\"../../t2/u2/a\"}",
                "{\"ref\":\"a\\u0000\"}",
                "{\"ref\":\"a\\n\"}",
                "{\"name\":\"a\"}",
                "{\"ref\":\"a\",\"value\":\"plain\"}",
                "{\"value\":\"plain\",\"ref\":\"a\"}",
                "{\"ref\":\"a\",\"later\":[{}]}",
            })
    @DisplayName("that are none are refused by the name of their value")
    void refused(String value) {
        assertThatThrownBy(() -> read("\"env\":{\"MY_KEY\":" + value + "}}"))
                .isInstanceOfSatisfying(
                        InvalidRecordException.class, e -> assertThat(e.isMalformed()).isFalse())
                .hasMessageContaining("MY_KEY")
                .hasMessageContaining("{\"ref\":\"name\"}");
    }

    @Test
    @DisplayName("leave errors of other values as they were")
    void otherValues() {
        assertThatThrownBy(() -> read("\"env\":{\"MY_KEY\":5}}"))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageStartingWith("field env.MY_KEY has a wrong type");
        assertThatThrownBy(() -> read("\"env\":{\"MY_KEY\":null}}"))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessage("field config.env.MY_KEY is missing");
    }

    @Test
    @DisplayName("a name has 128 characters at most")
    void longestName() {
        assertThat(SecretReference.isName("n".repeat(128))).isTrue();
        assertThat(SecretReference.isName("n".repeat(129))).isFalse();
    }

    @Test
    @DisplayName("make configurations equal, whatever the secrets are; plain values differ")
    void fingerprint() {
        var config = withEnv(Map.of("A", ref("one")));

        assertThat(ConfigFingerprint.of(config))
                .isEqualTo(ConfigFingerprint.of(withEnv(Map.of("A", ref("one")))))
                .isNotEqualTo(ConfigFingerprint.of(withEnv(Map.of("A", ref("two")))))
                .isNotEqualTo(ConfigFingerprint.of(withEnv(Map.of("A", "one"))));
    }

    @Test
    @DisplayName("are replaced by what they stand for, and nothing else is")
    void resolved() {
        var config = withEnv(Map.of("A", ref("one"), "B", "plain", "C", ref("one")));

        var resolved = config.resolved(Map.of("one", "s3cret", "other", "x"));

        assertThat(resolved.env())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("A", "s3cret", "B", "plain", "C", "s3cret"));
        assertThat(resolved.references()).isEmpty();
        assertThat(resolved.toString()).doesNotContain("s3cret");
        assertThatThrownBy(() -> config.resolved(Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("a command may have 64 of them, of one secret or of many")
    void most() {
        for (var names : List.of("same", "name%d")) {
            var env = new TreeMap<String, String>();
            for (int i = 0; i < SecretReference.MOST; i++) {
                env.put("V" + i, ref(names.formatted(i)));
            }
            withEnv(env).requireLimits();
            env.put("ONE_MORE", ref(names.formatted(64)));

            assertThatThrownBy(() -> withEnv(env).requireLimits())
                    .isInstanceOf(InvalidRecordException.class)
                    .hasMessageContaining("64 references");
        }
    }

    @Test
    @DisplayName("are told by name once, and as often as they are used")
    void uses() {
        var config = withEnv(Map.of("A", ref("one"), "B", ref("one"), "C", ref("two"), "D", "x"));

        assertThat(config.references()).containsExactly("one", "two");
        assertThat(config.referring()).containsExactlyInAnyOrder("one", "one", "two");
        assertThat(config.refers()).isTrue();
        assertThat(withEnv(Map.of("D", "x")).refers()).isFalse();
    }

    @Test
    @DisplayName("a text that only looks like one is plain")
    void lookalikes() {
        assertThat(SecretReference.in("{\"ref\":\"one\"}")).isNull();
        assertThat(SecretReference.in("ref:one")).isNull();
        assertThat(SecretReference.in("\0ref:../one")).isNull();
        assertThat(SecretReference.in(ref("one"))).isEqualTo(new SecretReference("one"));
    }
}
