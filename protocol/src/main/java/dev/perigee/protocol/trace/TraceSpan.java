package dev.perigee.protocol.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Span of one part's work on a request, in the request's trace. Where an operator attaches
 * OpenTelemetry (its agent, or an SDK) it is a span of its own, and what is handed on names it as
 * the parent; where nobody records spans the trace is handed on as it came, as W3C Trace Context
 * has it. A request that came without one gets an id that follows from its record, so that it is
 * the same each time the record is read. Any thread may end it.
 */
public final class TraceSpan {
    private static final String SCOPE = "dev.perigee";

    private final Span span;
    private final String traceparent;

    private TraceSpan(Span span, String traceparent) {
        this.span = span;
        this.traceparent = traceparent;
    }

    /**
     * Begins.
     *
     * @param given the traceparent that came; null or one that cannot be read begins a trace
     * @param identity of what asks for this; the same gives the same trace, where none came and
     *     nobody records
     */
    public static TraceSpan begin(
            String name, SpanKind kind, @Nullable String given, String identity) {
        var parent =
                given == null
                        ? Context.root()
                        : W3CTraceContextPropagator.getInstance()
                                .extract(Context.root(), given, Given.GETTER);
        var span =
                GlobalOpenTelemetry.getTracer(SCOPE)
                        .spanBuilder(name)
                        .setSpanKind(kind)
                        .setParent(parent)
                        .startSpan();
        var own = span.getSpanContext();
        if (!own.isValid()) {
            return new TraceSpan(span, made(identity));
        }
        return given != null && own.equals(Span.fromContext(parent).getSpanContext())
                ? new TraceSpan(span, given)
                : new TraceSpan(span, format(own));
    }

    /** What the next part is to continue. */
    public String traceparent() {
        return traceparent;
    }

    /** 32 hexadecimal digits: the one id of everything that is done for a request. */
    public String traceId() {
        return traceparent.substring(3, 35);
    }

    /** What it is about, for who looks at spans. */
    public TraceSpan with(String attribute, String value) {
        span.setAttribute(attribute, value);
        return this;
    }

    /**
     * Ends.
     *
     * @param error a code, null when all went well
     */
    public void end(@Nullable String error) {
        end(error, Instant.now());
    }

    /** The same, for work that has already ended. */
    public void end(@Nullable String error, Instant at) {
        if (error != null) {
            span.setStatus(StatusCode.ERROR, error);
        }
        span.end(at);
    }

    private static String format(SpanContext context) {
        return "00-"
                + context.getTraceId()
                + "-"
                + context.getSpanId()
                + "-"
                + context.getTraceFlags().asHex();
    }

    private static String made(String identity) {
        var id = UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
        var hex = HexFormat.of();
        long high = id.getMostSignificantBits();
        long low = id.getLeastSignificantBits();
        return "00-"
                + hex.toHexDigits(high)
                + hex.toHexDigits(low)
                + "-"
                + hex.toHexDigits(~low)
                + "-00";
    }

    /** Reads from the one header that there is. */
    private enum Given implements TextMapGetter<String> {
        GETTER;

        @Override
        public @Nullable String get(@Nullable String carrier, String key) {
            return key.equals("traceparent") ? carrier : null;
        }
    }
}
