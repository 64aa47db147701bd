package dev.perigee.testing.console;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A connection to a browser's DevTools: calls by name, and events. Thread-safe. */
final class DevTools implements WebSocket.Listener, AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<Consumer<JsonNode>> listeners = new CopyOnWriteArrayList<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;

    DevTools(URI address) throws IOException {
        try {
            socket =
                    http.newWebSocketBuilder()
                            .buildAsync(address, this)
                            .get(ANSWER.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("The browser does not talk", e);
        }
    }

    static ObjectNode parameters() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Hears events from now on. */
    void listen(Consumer<JsonNode> listener) {
        listeners.add(listener);
    }

    /**
     * Calls a method and waits for its result.
     *
     * @param session of a page, null for the browser itself
     */
    JsonNode call(@Nullable String session, String method, ObjectNode parameters) {
        int id = ids.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        open.put(id, answer);
        var call = parameters().put("id", id).put("method", method);
        call.set("params", parameters);
        if (session != null) {
            call.put("sessionId", session);
        }
        synchronized (socket) {
            socket.sendText(new String(Json.write(call), StandardCharsets.UTF_8), true).join();
        }
        try {
            var answered = answer.get(ANSWER.toSeconds(), TimeUnit.SECONDS);
            if (answered.has("error")) {
                throw new AssertionError(method + ": " + answered.get("error"));
            }
            return answered.get("result");
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("No answer to " + method, e);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            var node = Json.tree(message.toString().getBytes(StandardCharsets.UTF_8));
            message.setLength(0);
            var answer = node.has("id") ? open.remove(node.get("id").asInt()) : null;
            if (answer != null) {
                answer.complete(node);
            } else {
                listeners.forEach(listener -> listener.accept(node));
            }
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        open.values().forEach(it -> it.completeExceptionally(new IOException("closed")));
        return null;
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }
}
