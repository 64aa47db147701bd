package dev.perigee.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.trace.TraceSpan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-17: spans on their way to a collector")
final class TracingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String SAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String UNSAMPLED =
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private CollectorDouble collector;

    @BeforeEach
    void begin() throws IOException {
        GlobalOpenTelemetry.resetForTest();
        collector = new CollectorDouble();
    }

    @AfterEach
    void end() {
        collector.close();
        GlobalOpenTelemetry.resetForTest();
    }

    private Tracing start(String... more) throws IOException {
        var texts = new HashMap<String, String>();
        texts.put("tracing.endpoint", collector.uri().toString());
        for (var each : more) {
            int at = each.indexOf('=');
            texts.put("tracing." + each.substring(0, at), each.substring(at + 1));
        }
        return start(texts);
    }

    private Tracing start(Map<String, String> texts) throws IOException {
        return Tracing.start(
                TracingSettings.SCHEMA.read(texts), new Traced("worker", "w-1", "1"), registry);
    }

    private double count(String outcome) {
        return registry.get("perigee.worker.spans").tag("outcome", outcome).counter().count();
    }

    private static TraceSpan span(@Nullable String parent) {
        return TraceSpan.begin(new Anything(), parent, null, () -> "topic-0@1");
    }

    private record Anything() implements TraceSpan.Work {
        @Override
        public SpanKind kind() {
            return SpanKind.INTERNAL;
        }

        @Override
        public String name() {
            return "anything";
        }

        @Override
        public Attributes attributes() {
            return Attributes.empty();
        }

        @Override
        public boolean linksParent() {
            return false;
        }
    }

    @Test
    @DisplayName("are not made without an endpoint; the counter is there and stays at zero")
    void off() throws IOException {
        try (var _ = start(Map.of())) {
            var span = span(SAMPLED);
            assertThat(span.isRecording()).isFalse();
            assertThat(span.traceparent()).isEqualTo(SAMPLED);
            span.end(null);
        }
        assertThat(count("exported")).isZero();
    }

    @Test
    @DisplayName("are sent with their headers, and what is handed on names them")
    void sent() throws IOException {
        try (var _ = start("headers=authorization=Bearer hush")) {
            var span = span(SAMPLED);
            assertThat(span.isRecording()).isTrue();
            assertThat(span.traceparent()).contains(span.traceId()).isNotEqualTo(SAMPLED);
            assertThat(span.traceId()).isEqualTo(SAMPLED.substring(3, 35));
            span.end(null);
            await().atMost(PATIENCE).until(() -> count("exported") == 1);
        }
        assertThat(collector.paths()).containsExactly("/v1/traces");
        assertThat(collector.credentials()).containsExactly("Bearer hush");
    }

    @Test
    @DisplayName("are sampled as their parent says, and by the ratio where there is none")
    void sampled() throws IOException {
        try (var _ = start("sample-ratio=0")) {
            assertThat(span(SAMPLED).isRecording()).isTrue();
            assertThat(span(UNSAMPLED).isRecording()).isFalse();
            assertThat(span(UNSAMPLED).traceparent()).endsWith("-00");
            assertThat(span(null).isRecording()).isFalse();
            assertThat(span("00-hostile").isRecording()).isFalse();
        }
        GlobalOpenTelemetry.resetForTest();
        try (var _ = start("sample-ratio=1")) {
            assertThat(span(null).isRecording()).isTrue();
            assertThat(span(UNSAMPLED).isRecording()).isFalse();
        }
    }

    @Test
    @DisplayName("that end at the same time as a part are flushed")
    void flushed() throws IOException {
        try (var _ = start("flush-timeout=30s")) {
            span(SAMPLED).end(null);
        }
        assertThat(count("exported")).isEqualTo(1);
    }

    @Test
    @DisplayName("are dropped and counted where more wait than may, and nobody waits for room")
    void bounded() throws IOException {
        collector.fallSilent();
        try (var _ = start("queue=4", "export-timeout=4m", "flush-timeout=0")) {
            // Four are being sent and four wait: further ones have no room.
            span(SAMPLED).end(null);
            await().atMost(PATIENCE).until(() -> collector.paths().size() == 1);
            for (int i = 0; i < 1_000; i++) {
                span(SAMPLED).end(null);
            }
            assertThat(count("dropped")).isBetween(990.0, 996.0);
            assertThat(count("exported")).isZero();
        }
    }

    @Test
    @DisplayName("are lost and counted while a collector refuses, and go on after that")
    void refused() throws IOException {
        collector.answer(400);
        try (var _ = start()) {
            span(SAMPLED).end(null);
            await().atMost(PATIENCE).until(() -> count("failed") == 1);
            collector.answer(200);
            span(SAMPLED).end(null);
            await().atMost(PATIENCE).until(() -> count("exported") == 1);
        }
    }

    @Test
    @DisplayName("do not hold up a part that stops, where the collector is silent or away")
    void stops() throws IOException {
        collector.fallSilent();
        var silent = start("flush-timeout=200ms", "export-timeout=4m");
        span(SAMPLED).end(null);
        assertThat(timeOf(silent)).isLessThan(Duration.ofMinutes(1));

        GlobalOpenTelemetry.resetForTest();
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        var away =
                start(
                        Map.of(
                                "tracing.endpoint",
                                "http://127.0.0.1:" + port,
                                "tracing.flush-timeout",
                                "200ms"));
        span(SAMPLED).end(null);
        assertThat(timeOf(away)).isLessThan(Duration.ofSeconds(5));
    }

    private static Duration timeOf(Tracing closed) {
        long start = System.nanoTime();
        closed.close();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @DisplayName("cannot be set up with certificates that are not there or are none")
    void certificates() {
        assertThatThrownBy(() -> start("ca=/no/such.pem"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tracing.ca");
        assertThatThrownBy(() -> start("ca=/proc/self/status"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tracing.ca");
    }
}
