package dev.perigee.testing.fleet;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** An OpenTelemetry collector that keeps the spans it is sent by OTLP over HTTP. Thread-safe. */
final class OtlpCollector implements AutoCloseable {
    private static final int OK = 200;
    private static final int FORBIDDEN = 403;

    private final HttpServer server;
    private final String authorization;
    private final List<Exported> spans = new CopyOnWriteArrayList<>();

    /**
     * A span.
     *
     * @param service the resource's service.name
     * @param attributes of the span, as text
     * @param links ids of the spans that it links to
     */
    record Exported(
            String service,
            String name,
            String kind,
            String trace,
            String id,
            String parent,
            Map<String, String> attributes,
            List<String> links,
            boolean failed) {}

    /**
     * @param authorization header that each request must have
     */
    OtlpCollector(String authorization) throws IOException {
        this.authorization = authorization;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    String endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort()).toString();
    }

    /** Those of one trace, as they came. */
    List<Exported> of(String trace) {
        return spans.stream().filter(span -> span.trace().equals(trace)).toList();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            var given = exchange.getRequestHeaders().getFirst("authorization");
            boolean known = authorization.equals(given);
            if (known) {
                try (var body = body(exchange)) {
                    keep(ExportTraceServiceRequest.parseFrom(body));
                }
            }
            exchange.sendResponseHeaders(known ? OK : FORBIDDEN, -1);
        }
    }

    private static InputStream body(HttpExchange exchange) throws IOException {
        var encoding = exchange.getRequestHeaders().getFirst("content-encoding");
        return "gzip".equals(encoding)
                ? new GZIPInputStream(exchange.getRequestBody())
                : exchange.getRequestBody();
    }

    private void keep(ExportTraceServiceRequest request) {
        for (var resource : request.getResourceSpansList()) {
            var service =
                    texts(resource.getResource().getAttributesList())
                            .getOrDefault("service.name", "");
            for (var scope : resource.getScopeSpansList()) {
                for (var span : scope.getSpansList()) {
                    spans.add(exported(service, span));
                }
            }
        }
    }

    private static Exported exported(String service, Span span) {
        var hex = HexFormat.of();
        return new Exported(
                service,
                span.getName(),
                span.getKind().name().replace("SPAN_KIND_", ""),
                hex.formatHex(span.getTraceId().toByteArray()),
                hex.formatHex(span.getSpanId().toByteArray()),
                hex.formatHex(span.getParentSpanId().toByteArray()),
                texts(span.getAttributesList()),
                span.getLinksList().stream()
                        .map(link -> hex.formatHex(link.getSpanId().toByteArray()))
                        .toList(),
                span.getStatus().getCodeValue() == 2);
    }

    private static Map<String, String> texts(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(
                        Collectors.toMap(
                                KeyValue::getKey,
                                attribute -> text(attribute.getValue()),
                                (first, _) -> first,
                                TreeMap::new));
    }

    private static String text(AnyValue value) {
        return value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
