package dev.perigee.protocol.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Span of one part's work on a request, in the request's trace. Where spans are recorded (the
 * part's own tracing, or the OpenTelemetry agent) it is a span of its own, and what is handed on
 * names it as the parent; where nobody records spans the trace is handed on as it came, as W3C
 * Trace Context has it. A request that came without one gets an id that follows from its record, so
 * that it is the same each time the record is read. Any thread may end it.
 */
public final class TraceSpan {
    /** Longest tracestate that is continued, in characters: what W3C Trace Context asks for. */
    public static final int LONGEST_STATE = 512;

    private static final String SCOPE = "dev.perigee";
    private static final String FORM = "00-tttttttttttttttttttttttttttttttt-ssssssssssssssss-ff";
    private static final String PARENT = "traceparent";
    private static final String STATE = "tracestate";

    /** Class of the error that work ended with, absent where it went well. */
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private final Span span;
    private final String traceparent;
    private final @Nullable String tracestate;

    /** What a span is about. Asked only where somebody records spans. */
    public interface Work {
        /** Side of the exchange that the part is on. */
        SpanKind kind();

        /** Of low cardinality. */
        String name();

        /** What is known at the start, for samplers. */
        Attributes attributes();

        /** Whether it links to its parent as well: that is the context a message was made in. */
        boolean linksParent();
    }

    private TraceSpan(Span span, String traceparent, @Nullable String tracestate) {
        this.span = span;
        this.traceparent = traceparent;
        this.tracestate = tracestate;
    }

    /**
     * Begins.
     *
     * @param given the traceparent that came; null or one that cannot be read begins a trace
     * @param state the tracestate that came with it; one that cannot be read, or that is longer
     *     than {@link #LONGEST_STATE}, is ignored
     * @param identity of what asks for this; the same gives the same trace, where none came and
     *     nobody records
     */
    public static TraceSpan begin(
            Work work, @Nullable String given, @Nullable String state, Supplier<String> identity) {
        var tracer = GlobalOpenTelemetry.get().getTracer(SCOPE);
        if (!tracer.isEnabled() && given != null && state == null && hasForm(given)) {
            return new TraceSpan(Span.getInvalid(), given, null);
        }
        var context = given == null ? Context.root() : read(given, state);
        if (tracer.isEnabled()) {
            var span = started(tracer, work, context);
            if (span.getSpanContext().isValid()) {
                return of(span, context.with(span));
            }
        }
        var parent = Span.fromContext(context).getSpanContext();
        return given != null && parent.isValid()
                ? new TraceSpan(Span.getInvalid(), given, stateOf(parent, context))
                : new TraceSpan(Span.getInvalid(), made(identity.get()), null);
    }

    /** Begins a part of this one's work, in the same part of the fleet. */
    public TraceSpan within(Work work) {
        if (!span.isRecording()) {
            return new TraceSpan(Span.getInvalid(), traceparent, tracestate);
        }
        var context = Context.root().with(span);
        var inner = started(GlobalOpenTelemetry.get().getTracer(SCOPE), work, context);
        return inner.getSpanContext().isValid()
                ? of(inner, context.with(inner))
                : new TraceSpan(Span.getInvalid(), traceparent, tracestate);
    }

    private static Span started(Tracer tracer, Work work, Context context) {
        var builder =
                tracer.spanBuilder(work.name())
                        .setSpanKind(work.kind())
                        .setParent(context)
                        .setAllAttributes(work.attributes());
        var parent = Span.fromContext(context).getSpanContext();
        if (work.linksParent() && parent.isValid()) {
            builder.addLink(parent);
        }
        return builder.startSpan();
    }

    private static TraceSpan of(Span span, Context context) {
        var written = written(context);
        var parent = written.get(PARENT);
        if (parent == null) {
            throw new IllegalStateException("a valid span that cannot be written");
        }
        return new TraceSpan(span, parent, written.get(STATE));
    }

    private static @Nullable String stateOf(SpanContext parent, Context context) {
        return parent.getTraceState().isEmpty() ? null : written(context).get(STATE);
    }

    private static Map<String, String> written(Context context) {
        var written = new HashMap<String, String>();
        W3CTraceContextPropagator.getInstance()
                .inject(
                        context,
                        written,
                        (carrier, key, value) -> {
                            if (carrier != null) {
                                carrier.put(key, value);
                            }
                        });
        return written;
    }

    /** Whether it is one as nearly all are; any other is for OpenTelemetry to judge. */
    private static boolean hasForm(String given) {
        if (given.length() != FORM.length()) {
            return false;
        }
        int trace = 0;
        int span = 0;
        for (int i = 0; i < FORM.length(); i++) {
            char found = given.charAt(i);
            char wanted = FORM.charAt(i);
            boolean isHex = (found >= '0' && found <= '9') || (found >= 'a' && found <= 'f');
            switch (wanted) {
                case 't' -> trace |= found - '0';
                case 's' -> span |= found - '0';
                case 'f' -> {}
                default -> isHex = found == wanted;
            }
            if (!isHex) {
                return false;
            }
        }
        return trace != 0 && span != 0;
    }

    private static Context read(String traceparent, @Nullable String tracestate) {
        var state = tracestate == null || tracestate.length() > LONGEST_STATE ? null : tracestate;
        return W3CTraceContextPropagator.getInstance()
                .extract(Context.root(), new Given(traceparent, state), Getter.OF_GIVEN);
    }

    /** What the next part is to continue. */
    public String traceparent() {
        return traceparent;
    }

    /** What goes with it, by other vendors; null where there is none. */
    public @Nullable String tracestate() {
        return tracestate;
    }

    /** 32 hexadecimal digits: the one id of everything that is done for a request. */
    public String traceId() {
        return traceparent.substring(3, 35);
    }

    /** Whether attributes are kept: what is costly to say need not be said otherwise. */
    public boolean isRecording() {
        return span.isRecording();
    }

    /** What it is about, for who looks at spans. */
    public <T> TraceSpan with(AttributeKey<T> attribute, T value) {
        var _ = span.setAttribute(attribute, value);
        return this;
    }

    /**
     * Ends.
     *
     * @param error class of the error, of low cardinality; null when all went well
     */
    public void end(@Nullable String error) {
        end(error, Instant.now());
    }

    /** The same, for work that has already ended. */
    public void end(@Nullable String error, Instant at) {
        if (error != null) {
            var _ = span.setAttribute(ERROR_TYPE, error).setStatus(StatusCode.ERROR);
        }
        span.end(at);
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

    private record Given(String traceparent, @Nullable String tracestate) {}

    /** Reads from the two headers that there are. */
    private enum Getter implements TextMapGetter<Given> {
        OF_GIVEN;

        @Override
        public @Nullable String get(@Nullable Given carrier, String key) {
            if (carrier == null) {
                return null;
            }
            return switch (key) {
                case PARENT -> carrier.traceparent();
                case STATE -> carrier.tracestate();
                default -> null;
            };
        }
    }
}
