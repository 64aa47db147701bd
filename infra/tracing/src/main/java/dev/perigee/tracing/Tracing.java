package dev.perigee.tracing;

import dev.perigee.protocol.settings.Settings;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part's spans, on their way to an OpenTelemetry collector. Off without {@code
 * tracing.endpoint}. A collector that is away costs spans, never a call. Started and closed by one
 * thread.
 */
public final class Tracing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tracing.class);
    private static final String AGENT = "io.opentelemetry.javaagent.OpenTelemetryAgent";

    private final @Nullable SpanExport export;

    private Tracing(@Nullable SpanExport export) {
        this.export = export;
    }

    /**
     * Starts it, where the settings say so.
     *
     * @param settings with the keys of {@link TracingSettings#SCHEMA}
     * @param registry has the counter of spans, also where it is off
     * @throws IOException when a file of the settings cannot be used
     */
    public static Tracing start(Settings settings, Traced traced, MeterRegistry registry)
            throws IOException {
        var counts = new SpanCounts(registry, traced.part());
        var options = TracingSettings.read(settings);
        if (options == null) {
            return new Tracing(null);
        }
        if (hasAgent()) {
            LOG.warn(
                    "The OpenTelemetry agent is attached and sends the spans: tracing.* is ignored");
            return new Tracing(null);
        }
        LOG.atInfo().addKeyValue("endpoint", options.endpoint()).log("Spans are exported");
        return new Tracing(SpanExport.start(options, traced, counts));
    }

    private static boolean hasAgent() {
        try {
            Class.forName(AGENT, false, ClassLoader.getSystemClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Sends what waits, bounded; from now on spans are made no more. */
    @Override
    public void close() {
        if (export != null) {
            export.close();
        }
    }
}
