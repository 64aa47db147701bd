package dev.perigee.tracing;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OpenTelemetry's SDK, set up for one part: a parent-based sampler, a bounded queue, OTLP over HTTP
 * by the JDK's client. It is the JVM's, which has one.
 */
final class SpanExport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
    private static final int MOST_ATTRIBUTES = 32;
    private static final int LONGEST_ATTRIBUTE = 256;

    /** The SDK logs each failure on its own way, past the part's log; a part logs the first one. */
    private static final java.util.logging.Logger SDK_LOG =
            java.util.logging.Logger.getLogger("io.opentelemetry");

    private final TracingOptions options;
    private final SpanQueue queue;
    private final SdkTracerProvider provider;

    private SpanExport(TracingOptions options, SpanQueue queue, SdkTracerProvider provider) {
        this.options = options;
        this.queue = queue;
        this.provider = provider;
    }

    /**
     * Spans of this JVM are sent from now on.
     *
     * @throws IOException when the certificates cannot be read
     */
    static SpanExport start(TracingOptions options, Traced traced, SpanCounts counts)
            throws IOException {
        SDK_LOG.setLevel(Level.OFF);
        var export = of(options, traced, counts, exporter(options));
        try {
            GlobalOpenTelemetry.set(new Sdk(export.provider));
        } catch (IllegalStateException e) {
            LOG.warn("OpenTelemetry is set up in this JVM already: tracing.* is ignored");
        }
        return export;
    }

    private static SpanExport of(
            TracingOptions options, Traced traced, SpanCounts counts, SpanExporter exporter) {
        var queue = new SpanQueue(options.queue(), options.exportTimeout(), exporter, counts);
        var provider =
                SdkTracerProvider.builder()
                        .setResource(resource(options, traced))
                        .setSampler(
                                Sampler.parentBased(
                                        Sampler.traceIdRatioBased(options.sampleRatio())))
                        .setSpanLimits(
                                SpanLimits.builder()
                                        .setMaxNumberOfAttributes(MOST_ATTRIBUTES)
                                        .setMaxAttributeValueLength(LONGEST_ATTRIBUTE)
                                        .build())
                        .addSpanProcessor(queue)
                        .build();
        return new SpanExport(options, queue, provider);
    }

    private static Resource resource(TracingOptions options, Traced traced) {
        var name = options.serviceName();
        var version = traced.version();
        var attributes =
                Attributes.builder()
                        .put("service.name", name == null ? traced.serviceName() : name)
                        .put("service.namespace", "perigee")
                        .put("service.instance.id", traced.id());
        if (version != null) {
            attributes.put("service.version", version);
        }
        return Resource.getDefault().merge(Resource.create(attributes.build()));
    }

    private static SpanExporter exporter(TracingOptions options) throws IOException {
        var builder =
                OtlpHttpSpanExporter.builder()
                        .setEndpoint(options.endpoint().toString())
                        .setTimeout(options.exportTimeout())
                        .setConnectTimeout(options.exportTimeout())
                        .setHeaders(options::headers);
        var ca = options.ca();
        try {
            if (ca != null) {
                builder.setTrustedCertificates(Files.readAllBytes(ca));
            }
            return builder.build();
        } catch (IOException e) {
            throw new IOException("The file of tracing.ca cannot be read: " + ca, e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new IOException(
                    "Tracing cannot be set up, check tracing.ca and tracing.endpoint: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Sends what waits, bounded by the flush timeout. */
    @Override
    public void close() {
        var end =
                provider.shutdown().join(options.flushTimeout().toMillis(), TimeUnit.MILLISECONDS);
        if (!end.isDone()) {
            LOG.atWarn()
                    .addKeyValue("spans", queue.waiting())
                    .log("Last spans were not exported in time and are lost");
        }
    }

    private record Sdk(SdkTracerProvider provider) implements OpenTelemetry {
        @Override
        public TracerProvider getTracerProvider() {
            return provider;
        }

        @Override
        public ContextPropagators getPropagators() {
            return ContextPropagators.noop();
        }
    }
}
