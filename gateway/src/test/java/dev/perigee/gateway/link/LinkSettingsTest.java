package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.settings.InvalidSettingsException;
import dev.perigee.protocol.tls.PemFile;
import dev.perigee.protocol.tls.TlsFiles;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LinkSettingsTest {
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

    private static LinkOptions options(Map<String, String> texts) {
        return LinkSettings.options(LinkSettings.SCHEMA.read(texts), "gateway-1", SESSION_TIMEOUT);
    }

    private static WorkerSource one(String uri) {
        return new WorkerSource.One(URI.create(uri));
    }

    @Test
    void takesNamesOfWorkers() {
        var texts = Map.of("workers", "dns+ws://workers.example:7070/l,srv+wss://_link._tcp.a.b/l");

        assertThat(options(texts).workers())
                .containsExactly(
                        new WorkerSource.Addresses(URI.create("ws://workers.example:7070/l")),
                        new WorkerSource.Services("wss", "_link._tcp.a.b", "/l"));
        assertThat(options(texts).tls()).isNotNull();
    }

    @Test
    void hasTheDefaultsOfTheDesign() {
        assertThat(options(Map.of("workers", "ws://127.0.0.1:7070/link")))
                .isEqualTo(
                        new LinkOptions(
                                "gateway-1",
                                List.of(one("ws://127.0.0.1:7070/link")),
                                Duration.ofSeconds(30),
                                null,
                                null,
                                Duration.ofSeconds(25),
                                Duration.ofSeconds(75),
                                4 << 20,
                                8 << 20,
                                new LinkOptions.Timing(
                                        Duration.ofSeconds(5),
                                        Duration.ofSeconds(10),
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(10),
                                        Duration.ofSeconds(5),
                                        Duration.ofSeconds(5),
                                        Duration.ofMillis(100),
                                        Duration.ofSeconds(2),
                                        Duration.ofMillis(200))));
    }

    @Test
    void takesEveryKey() {
        var texts = new HashMap<String, String>();
        texts.put("workers", "ws://a:1/link,wss://b:2/link");
        texts.put("workers.refresh", "11s");
        texts.put("link.token", "s3cret");
        texts.put("link.tls.ca", "/tls/ca.crt");
        texts.put("link.tls.certificate", "/tls/tls.crt");
        texts.put("link.tls.key", "/tls/tls.key");
        texts.put("link.connect-timeout", "1s");
        texts.put("link.answer-timeout", "2s");
        texts.put("link.lease", "17s");
        texts.put("link.ping-interval", "3s");
        texts.put("link.dead-after", "4s");
        texts.put("link.refused-for", "12s");
        texts.put("link.recovery-margin", "5s");
        texts.put("link.retention-surplus", "6s");
        texts.put("link.backoff-min", "7ms");
        texts.put("link.backoff-max", "8ms");
        texts.put("link.recovery-backoff-max", "9ms");
        texts.put("link.credit", "9KiB");
        texts.put("link.send-buffer", "100KiB");

        assertThat(texts.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        LinkSettings.SCHEMA.settings().stream().map(Object::toString).toList());
        var options = options(texts);
        assertThat(options)
                .isEqualTo(
                        new LinkOptions(
                                "gateway-1",
                                List.of(one("ws://a:1/link"), one("wss://b:2/link")),
                                Duration.ofSeconds(11),
                                "s3cret",
                                new TlsFiles(
                                        new PemFile(
                                                "link.tls.certificate", Path.of("/tls/tls.crt")),
                                        new PemFile("link.tls.key", Path.of("/tls/tls.key")),
                                        new PemFile("link.tls.ca", Path.of("/tls/ca.crt"))),
                                Duration.ofSeconds(16),
                                Duration.ofSeconds(17),
                                9 << 10,
                                100 << 10,
                                new LinkOptions.Timing(
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(3),
                                        Duration.ofSeconds(4),
                                        Duration.ofSeconds(12),
                                        Duration.ofSeconds(5),
                                        Duration.ofMillis(7),
                                        Duration.ofMillis(8),
                                        Duration.ofMillis(9))));
        assertThat(options.toString()).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "http://a:1/link",
                "ws://user:password@a:1/link",
                "ws://a:1/link?token=x",
                "a:1",
                "dns+ws://a/link",
                "dns+http://a:1/link",
                "srv+ws://u@a/link",
                "srv+ws://a:1/link"
            })
    void refusesWhatIsNoWorker(String workers) {
        assertThatThrownBy(() -> options(Map.of("workers", workers)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("workers");
    }

    @ParameterizedTest
    @CsvSource({
        "wss, link.tls.certificate, link.tls.key is not",
        "wss, link.tls.key, link.tls.certificate is not",
        "ws, link.tls.ca, no URL in workers is one of wss://"
    })
    void refusesHalfOfTls(String scheme, String set, String missing) {
        assertThatThrownBy(() -> options(Map.of("workers", scheme + "://a:1/link", set, "/a.pem")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(set + " is set and " + missing);
    }

    @Test
    void encryptsWithTheAuthoritiesOfTheJdk() {
        assertThat(options(Map.of("workers", "wss://a:1/link")).tls())
                .isEqualTo(new TlsFiles(null, null, null));
    }

    @Test
    void refusesToDeclareALinkDeadBeforeItIsPinged() {
        assertThatThrownBy(() -> options(Map.of("workers", "ws://a:1/l", "link.dead-after", "1s")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("link.ping-interval must be shorter");
    }
}
