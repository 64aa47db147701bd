package dev.perigee.part;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.perigee.protocol.trace.LogContext;
import java.util.LinkedHashMap;
import java.util.Set;
import net.logstash.logback.composite.AbstractJsonProvider;
import org.slf4j.event.KeyValuePair;
import tools.jackson.core.JsonGenerator;

/**
 * Context of a log line as fields of its JSON: those that its thread carries and those that the
 * line adds, each name once. Made by Logback, from the files of its configuration.
 */
public final class ContextFields extends AbstractJsonProvider<ILoggingEvent> {
    private static final Set<String> NUMBERS = Set.of(LogContext.PARTITION, LogContext.EPOCH);

    @Override
    public void writeTo(JsonGenerator generator, ILoggingEvent event) {
        var fields = new LinkedHashMap<String, Object>(event.getMDCPropertyMap());
        fields.replaceAll((name, value) -> NUMBERS.contains(name) ? number(value) : value);
        var added = event.getKeyValuePairs();
        if (added != null) {
            for (KeyValuePair pair : added) {
                if (pair.value != null) {
                    fields.put(pair.key, pair.value);
                }
            }
        }
        fields.forEach(generator::writePOJOProperty);
    }

    private static Object number(Object text) {
        try {
            return Long.valueOf(text.toString());
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
