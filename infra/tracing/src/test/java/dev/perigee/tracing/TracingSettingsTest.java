package dev.perigee.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("OPS-17: settings of tracing")
final class TracingSettingsTest {
    private static final String KEY = "tracing.endpoint";

    private static @Nullable TracingOptions read(Map<String, String> texts) {
        return TracingSettings.read(TracingSettings.SCHEMA.read(texts));
    }

    @Test
    @DisplayName("are off by default")
    void off() {
        assertThat(read(Map.of())).isNull();
        assertThat(read(Map.of("tracing.sample-ratio", "1"))).isNull();
    }

    @Test
    @DisplayName("have defaults where there is an endpoint")
    void defaults() {
        assertThat(read(Map.of(KEY, "http://collector:4318")))
                .isEqualTo(
                        new TracingOptions(
                                URI.create("http://collector:4318/v1/traces"),
                                Map.of(),
                                null,
                                null,
                                1,
                                4096,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(3)));
    }

    @Test
    @DisplayName("take each key")
    void eachKey() {
        assertThat(
                        read(
                                Map.of(
                                        KEY,
                                        "https://o.example/otlp/",
                                        "tracing.headers",
                                        "authorization=Bearer a=b, x-team = t",
                                        "tracing.ca",
                                        "/ca.pem",
                                        "tracing.service-name",
                                        "mcp",
                                        "tracing.sample-ratio",
                                        "0.25",
                                        "tracing.queue",
                                        "7",
                                        "tracing.export-timeout",
                                        "2s",
                                        "tracing.flush-timeout",
                                        "0")))
                .isEqualTo(
                        new TracingOptions(
                                URI.create("https://o.example/otlp/v1/traces"),
                                Map.of("authorization", "Bearer a=b", "x-team", "t"),
                                Path.of("/ca.pem"),
                                "mcp",
                                0.25,
                                7,
                                Duration.ofSeconds(2),
                                Duration.ZERO));
    }

    @Test
    @DisplayName("take headers from a file, and show them nowhere")
    void secret(@TempDir Path directory) throws Exception {
        var file = Files.writeString(directory.resolve("headers"), "authorization=Bearer hush\n");
        var settings =
                TracingSettings.SCHEMA.read(
                        Map.of(KEY, "http://c:4318", "tracing.headers-file", file.toString()));
        var options = TracingSettings.read(settings);

        assertThat(options).isNotNull();
        assertThat(options.headers()).containsEntry("authorization", "Bearer hush");
        assertThat(settings.toString() + options).doesNotContain("hush");
        assertThatThrownBy(() -> read(Map.of("tracing.headers", "hush")))
                .hasMessageContaining("tracing.headers")
                .hasMessageNotContaining("hush");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "collector:4318",
                "ftp://collector",
                "http://user:hush@collector",
                "http://collector/?token=hush",
                "http:///v1",
                "no address"
            })
    @DisplayName("refuse an endpoint that is none, or has a secret in it")
    void refused(String endpoint) {
        assertThatThrownBy(() -> read(Map.of(KEY, endpoint))).hasMessageContaining(KEY);
    }
}
