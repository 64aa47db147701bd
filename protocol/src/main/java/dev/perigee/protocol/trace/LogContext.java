package dev.perigee.protocol.trace;

import java.util.Map;
import org.slf4j.MDC;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Fields of log lines that say what they are about. A thread that works for one partition or
 * instance puts its fields once, and every line it logs carries them; what another thread does for
 * it takes them along. One vocabulary for gateways and workers.
 */
public final class LogContext {
    /** The instance. */
    public static final String PROCESS_ID = "process_id";

    /** The process partition, a number. */
    public static final String PARTITION = "partition";

    /** Offset of the owner's claim, a number. */
    public static final String EPOCH = "epoch";

    /** The request. */
    public static final String REQUEST_ID = "request_id";

    /** The request's W3C trace id, 32 hexadecimal digits. */
    public static final String TRACE_ID = "trace_id";

    private final Map<String, String> fields;

    private LogContext(Map<String, String> fields) {
        this.fields = fields;
    }

    /** A field of every line that this thread logs from now on. */
    public static void put(String field, String value) {
        MDC.put(field, value);
    }

    /** The same for a number. */
    public static void put(String field, long value) {
        MDC.put(field, Long.toString(value));
    }

    /** The fields of this thread as they are now, for another. */
    public static LogContext current() {
        var fields = MDC.getCopyOfContextMap();
        return new LogContext(fields == null ? Map.of() : Map.copyOf(fields));
    }

    /** The same work with these fields, for a thread that does nothing else. */
    public Runnable carriedBy(Runnable work) {
        return () -> {
            MDC.setContextMap(fields);
            work.run();
        };
    }

    /** Numbers stay numbers, as in the lines of a thread that has them itself. */
    private static Object value(String field, String value) {
        return field.equals(PARTITION) || field.equals(EPOCH) ? Long.valueOf(value) : value;
    }

    /** A line with these fields, on a thread that works for many. */
    public LoggingEventBuilder on(LoggingEventBuilder line) {
        var with = line;
        for (var field : fields.entrySet()) {
            with = with.addKeyValue(field.getKey(), value(field.getKey(), field.getValue()));
        }
        return with;
    }
}
