package dev.perigee.worker.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * JSON mapper of the SDK's transports, which maps nothing. They frame messages, which pass through
 * them as text in envelopes, so that results stay the server's own bytes and only {@link
 * McpMessage} reads them. Stateless.
 */
final class Envelopes implements McpJsonMapper {
    private static final String METHOD = "method";
    private static final String TEXT = "text";

    /** A request that goes to the server; the transports want to know that it is one. */
    static McpSchema.JSONRPCMessage request(byte[] message) {
        return new McpSchema.JSONRPCRequest(
                "2.0", METHOD, METHOD, new Text(new String(message, StandardCharsets.UTF_8)));
    }

    /** Any other message that goes to the server. */
    static McpSchema.JSONRPCMessage notice(byte[] message) {
        return envelope(new String(message, StandardCharsets.UTF_8));
    }

    private static McpSchema.JSONRPCNotification envelope(String text) {
        return new McpSchema.JSONRPCNotification("2.0", METHOD, new Text(text));
    }

    /** What is in an envelope. */
    static String text(Object message) {
        return switch (message) {
            case McpSchema.JSONRPCNotification notice when notice.params() instanceof Text text ->
                    text.text();
            case McpSchema.JSONRPCRequest request when request.params() instanceof Text text ->
                    text.text();
            default -> throw new IllegalArgumentException("not an envelope: " + message.getClass());
        };
    }

    /** Never shown: it is what users and servers say. */
    private record Text(String text) {
        @Override
        public String toString() {
            return "text[" + text.length() + "]";
        }
    }

    @Override
    public String writeValueAsString(Object value) {
        return text(value);
    }

    @Override
    public <T> T readValue(String content, TypeRef<T> type) {
        @SuppressWarnings("unchecked") // The transports read maps only, and want a HashMap.
        T map = (T) new HashMap<>(Map.of(METHOD, METHOD, TEXT, content));
        return map;
    }

    @Override
    public <T> T convertValue(Object value, Class<T> type) {
        if (value instanceof Map<?, ?> map && map.get(TEXT) instanceof String text) {
            return type.cast(envelope(text));
        }
        throw new UnsupportedOperationException("only envelopes are converted");
    }

    @Override
    public <T> T readValue(byte[] content, TypeRef<T> type) {
        return readValue(new String(content, StandardCharsets.UTF_8), type);
    }

    @Override
    public <T> T readValue(String content, Class<T> type) {
        throw new UnsupportedOperationException("only envelopes are read");
    }

    @Override
    public <T> T readValue(byte[] content, Class<T> type) {
        throw new UnsupportedOperationException("only envelopes are read");
    }

    @Override
    public <T> T convertValue(Object value, TypeRef<T> type) {
        throw new UnsupportedOperationException("only envelopes are converted");
    }

    @Override
    public byte[] writeValueAsBytes(Object value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }
}
