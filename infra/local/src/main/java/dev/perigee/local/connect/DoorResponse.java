package dev.perigee.local.connect;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * HTTP response with messages: one JSON object where the reply is the first thing that comes within
 * {@link #FIRST}, else a stream of events that says every {@link #ALIVE} that it lives, so that a
 * client that is gone is noticed. On the request's thread, which waits.
 */
final class DoorResponse {
    static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration ALIVE = Duration.ofSeconds(2);

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] EVENT = "event: message\ndata: ".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.UTF_8);

    private final Response response;
    private final Duration longest;
    private final BooleanSupplier mayGoOn;

    /**
     * A response that is not begun.
     *
     * @param longest time that a stream may take
     * @param mayGoOn whether who asked may still be answered
     */
    DoorResponse(Response response, Duration longest, BooleanSupplier mayGoOn) {
        this.response = response;
        this.longest = longest;
        this.mayGoOn = mayGoOn;
    }

    void header(String name, String value) {
        response.getHeaders().put(name, value);
    }

    /** Answers without a body. */
    void empty(int status) {
        response.setStatus(status);
    }

    /**
     * Answers a request.
     *
     * @param status of a reply that is all there is
     * @throws IOException when the client does not take them any more
     */
    void reply(MessageStream messages, ToIntFunction<RawJson> status)
            throws IOException, InterruptedException {
        var first = messages.poll(FIRST);
        var send = first == null ? null : first.send();
        if (send != null && send.kind() == Send.Kind.REPLY) {
            one(send.message(), status);
        } else {
            events(messages, first);
        }
    }

    private void one(RawJson message, ToIntFunction<RawJson> status) throws IOException {
        response.setStatus(status.applyAsInt(message));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        try (var out = Content.Sink.asOutputStream(response)) {
            out.write(message.bytes());
        }
    }

    /** Sends messages until their end. */
    void events(MessageStream messages) throws IOException, InterruptedException {
        events(messages, null);
    }

    private void events(MessageStream messages, MessageStream.@Nullable Item first)
            throws IOException, InterruptedException {
        response.setStatus(200);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.getHeaders().put("X-Accel-Buffering", "no");
        long begun = System.nanoTime();
        long looked = begun;
        try (var out = Content.Sink.asOutputStream(response)) {
            var item = first;
            boolean isOver = false;
            while (!isOver) {
                long now = System.nanoTime();
                boolean isDue = now - looked >= ALIVE.toNanos();
                if (isDue && (now - begun > longest.toNanos() || !mayGoOn.getAsBoolean())) {
                    return; // However much there is to say.
                }
                looked = isDue ? now : looked;
                if (item == null) {
                    out.write(COMMENT);
                } else {
                    var send = item.send();
                    isOver = send == null || write(send, out);
                }
                out.flush();
                item = isOver ? null : messages.poll(ALIVE);
            }
        }
    }

    /** Whether it is the last one. */
    private static boolean write(Send send, OutputStream out) throws IOException {
        out.write(EVENT);
        out.write(send.message().onOneLine().bytes());
        out.write(END);
        return send.kind() == Send.Kind.REPLY;
    }
}
