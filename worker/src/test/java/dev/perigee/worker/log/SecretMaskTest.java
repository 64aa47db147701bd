package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: the mask of secrets")
final class SecretMaskTest {
    private static ServerConfig config(Map<String, String> env) {
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
    @DisplayName("is made of each value once, however often it is configured")
    void largeValueManyTimes() {
        var large = "%".repeat(64 << 10);
        var env = new HashMap<String, String>();
        for (int i = 0; i < 50_000; i++) {
            env.put("V" + i, large);
        }
        var config = config(env);

        var mask = assertTimeoutPreemptively(Duration.ofSeconds(10), () -> SecretMask.of(config));

        assertThat(mask.apply("it is " + large)).isEqualTo("it is ***");
    }

    @Test
    @DisplayName("hides values that are not of a configuration, also behind the scheme of a header")
    void furtherValues() {
        var mask =
                SecretMask.of(
                        List.of(config(Map.of("A", "plain-value"))), List.of("Bearer abc/def"));

        assertThat(mask.apply("plain-value abc/def abc%2Fdef Bearer abc/def"))
                .isEqualTo("*** *** *** ***");
    }

    @Test
    @DisplayName("leaves the names of references")
    void references() {
        var mask = SecretMask.of(config(Map.of("A", SecretReference.to("github-token"))));

        assertThat(mask.apply("no github-token")).isEqualTo("no github-token");
    }

    @Test
    @DisplayName("what is left of a value before an ellipsis is found, the longest of it")
    void cutOff() {
        var mask = SecretMask.of(List.of(), List.of("abababc-long"));
        assertThat(mask.apply("it is abababc-lo…")).isEqualTo("it is ***…");
        assertThat(mask.apply("it is ababababa…")).isEqualTo("it is abab***…");
        assertThat(mask.apply("abab…")).isEqualTo("***…");
        assertThat(mask.apply("it is aba…")).isEqualTo("it is aba…");
        assertThat(mask.apply("abababc-long…")).isEqualTo("***…");
    }

    @Test
    @DisplayName("a text that is made to be slow is not: each character is looked at once")
    void hostileCut() {
        var long1 = "a".repeat(200_000);
        var mask = SecretMask.of(List.of(), List.of(long1 + "b", long1 + "ee", long1 + "ddd"));
        var text = long1.substring(0, 150_000) + "y…";
        var masked = assertTimeoutPreemptively(Duration.ofSeconds(10), () -> mask.apply(text));
        assertThat(masked).isEqualTo(text);
    }
}
