package dev.perigee.worker.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a {@code text/event-stream} into events, however its chunks fall. An event without its empty
 * line is dropped, with its id, as the stream may have broken off within it. Its size is bounded by
 * whoever feeds it. Not thread-safe.
 */
final class EventFramer {
    private static final int MAX_DIGITS = 9;

    private final Sink sink;
    private final int maxLineBytes;
    private final boolean passesData;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StringBuilder data = new StringBuilder();
    private String type = "";
    private @Nullable String id;
    private boolean afterReturn;

    /** Takes what the stream says, on the thread that feeds the framer. */
    interface Sink {
        /** A message of the server. */
        void message(String data);

        /** The last event's id, empty where the server takes it back. */
        void id(String id);

        /** How long the server wants its client to wait before it reconnects. */
        void retry(Duration pause);
    }

    EventFramer(Sink sink) {
        this(sink, Integer.MAX_VALUE, true);
    }

    private EventFramer(Sink sink, int maxLineBytes, boolean passesData) {
        this.sink = sink;
        this.maxLineBytes = maxLineBytes;
        this.passesData = passesData;
    }

    /** For ids and pauses only: keeps nothing of the messages, and of a line its beginning. */
    static EventFramer withoutMessages(Sink sink, int maxLineBytes) {
        return new EventFramer(sink, maxLineBytes, false);
    }

    void accept(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            byte next = chunk.get();
            if (next == '\n' || next == '\r') {
                if (next == '\r' || !afterReturn) {
                    finishLine();
                }
            } else if (line.size() < maxLineBytes) {
                line.write(next);
            }
            afterReturn = next == '\r';
        }
    }

    private void finishLine() {
        var text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (text.isEmpty()) {
            finishEvent();
            return;
        }
        int colon = text.indexOf(':');
        var name = colon < 0 ? text : text.substring(0, colon);
        var value = colon < 0 ? "" : text.substring(colon + 1);
        field(name, value.startsWith(" ") ? value.substring(1) : value);
    }

    private void field(String name, String value) {
        switch (name) {
            case "event" -> type = value;
            case "data" -> {
                if (passesData) {
                    data.append(value).append('\n');
                }
            }
            case "id" -> id = value.indexOf('\0') < 0 ? value : id;
            case "retry" -> {
                boolean digits = !value.isEmpty() && value.chars().allMatch(Character::isDigit);
                if (digits && value.length() <= MAX_DIGITS) {
                    sink.retry(Duration.ofMillis(Long.parseLong(value)));
                }
            }
            default -> {} // A comment, or a field that no one knows.
        }
    }

    private void finishEvent() {
        if (id != null) {
            sink.id(id);
        }
        boolean isMessage = type.isEmpty() || type.equals("message");
        if (isMessage && !data.isEmpty() && !data.toString().isBlank()) {
            sink.message(data.substring(0, data.length() - 1));
        }
        data.setLength(0);
        type = "";
        id = null;
    }
}
