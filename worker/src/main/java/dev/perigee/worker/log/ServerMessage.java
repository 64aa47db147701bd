package dev.perigee.worker.log;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A message that a server logs by the notification that MCP has for it. Immutable.
 *
 * @param level {@code info} where the server's is none of MCP's
 * @param logger what wrote it, null where the server does not say
 * @param data the server's own bytes, any JSON value; null where it gave none
 */
public record ServerMessage(LogLevel level, @Nullable String logger, @Nullable RawJson data) {
    private static final String ELLIPSIS = "…";
    private static final int MAX_LOGGER_BYTES = 400;

    /** Larger data are not looked at: a line has their size. */
    private static final int MAX_DATA_BYTES = 64 * 1024;

    private record Params(
            @Nullable RawJson level, @Nullable RawJson logger, @Nullable RawJson data) {}

    /** Reads the notification's parameters; null when they are none of a message. */
    public static @Nullable ServerMessage read(RawJson params) {
        try {
            var read = Json.read(params, Params.class);
            var level = text(within(read.level(), MAX_LOGGER_BYTES));
            var known = level == null ? null : LogLevel.of(level.toLowerCase(Locale.ROOT));
            return new ServerMessage(
                    known == null ? LogLevel.INFO : known,
                    text(within(read.logger(), MAX_LOGGER_BYTES)),
                    read.data());
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private static @Nullable RawJson within(@Nullable RawJson value, int maxBytes) {
        return value == null || value.size() > maxBytes ? null : value;
    }

    private static @Nullable String text(@Nullable RawJson value) {
        return value != null && value.bytes()[0] == '"' ? Json.read(value, String.class) : null;
    }

    /**
     * The same without secrets, in the texts of its data: written as JSON writes them, such as
     * {@code \\/}, they would not be found in the line.
     */
    ServerMessage masked(UnaryOperator<String> mask) {
        return data == null || data.size() > MAX_DATA_BYTES
                ? this
                : new ServerMessage(level, logger, MaskedJson.of(data, mask));
    }

    /** Its level among those of log lines. */
    String lineLevel() {
        return switch (level) {
            case DEBUG -> LevelInference.DEBUG;
            case INFO, NOTICE -> LevelInference.INFO;
            case WARNING -> LevelInference.WARN;
            case ERROR, CRITICAL, ALERT, EMERGENCY -> LevelInference.ERROR;
        };
    }

    /** Logger and data as one line, a string as it is, cut with an ellipsis. */
    String line(int maxBytes) {
        var text = (logger == null ? "" : logger + ": ") + said();
        return cut(text.replaceAll("\\R", " ").strip(), maxBytes);
    }

    private String said() {
        if (data == null) {
            return "";
        }
        if (data.size() > MAX_DATA_BYTES) {
            return "(" + data.size() + " bytes)";
        }
        var said = text(data);
        return said == null ? data.text() : said;
    }

    private static String cut(String text, int maxBytes) {
        // No character has less than a byte: what cannot fit is not encoded.
        var head = text.substring(0, Math.min(text.length(), maxBytes));
        var bytes = head.getBytes(StandardCharsets.UTF_8);
        if (head.length() == text.length() && bytes.length <= maxBytes) {
            return text;
        }
        int end =
                Math.min(bytes.length, maxBytes - ELLIPSIS.getBytes(StandardCharsets.UTF_8).length);
        while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + ELLIPSIS;
    }
}
