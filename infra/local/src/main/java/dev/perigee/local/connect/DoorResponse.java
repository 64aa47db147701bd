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
 * client that is gone is noticed. However slowly its client reads, it ends in time, or when the
 * client may not be answered any more. On the request's thread, which waits.
 */
final class DoorResponse {
    static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration ALIVE = Duration.ofSeconds(2);

    private static final int BLOCK_BYTES = 64 << 10;
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] EVENT = "event: message\ndata: ".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.UTF_8);

    private final Response response;
    private final MessageStream messages;
    private final Duration longest;
    private final BooleanSupplier mayGoOn;
    private long begun;
    private long looked;

    /**
     * A response that is not begun.
     *
     * @param messages that it will have
     * @param longest time that it may take
     * @param mayGoOn whether who asked may still be answered
     */
    DoorResponse(
            Response response, MessageStream messages, Duration longest, BooleanSupplier mayGoOn) {
        this.response = response;
        this.messages = messages;
        this.longest = longest;
        this.mayGoOn = mayGoOn;
    }

    MessageStream messages() {
        return messages;
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
    void reply(ToIntFunction<RawJson> status) throws IOException, InterruptedException {
        var first = messages.poll(FIRST);
        var send = first == null ? null : first.send();
        if (send != null && send.kind() == Send.Kind.REPLY) {
            one(send.message(), status);
        } else {
            events(first);
        }
    }

    private void one(RawJson message, ToIntFunction<RawJson> status) throws IOException {
        response.setStatus(status.applyAsInt(message));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        begin();
        var out = Content.Sink.asOutputStream(response);
        write(message, out);
        out.close(); // Not where it failed: half a message is no whole response.
    }

    private void begin() {
        begun = System.nanoTime();
        looked = begun;
    }

    /** Whether its time is over, or its client's; looks every {@link #ALIVE}. */
    private boolean isOver() {
        long now = System.nanoTime();
        if (now - looked < ALIVE.toNanos()) {
            return false;
        }
        looked = now;
        return now - begun > longest.toNanos() || !mayGoOn.getAsBoolean();
    }

    private void write(RawJson message, OutputStream out) throws IOException {
        var bytes = message.bytes();
        for (int from = 0; from < bytes.length; from += BLOCK_BYTES) {
            if (from > 0 && isOver()) {
                throw new IOException("A client read too slowly, or may not read any more");
            }
            out.write(bytes, from, Math.min(BLOCK_BYTES, bytes.length - from));
        }
    }

    /** Sends messages until their end. */
    void events() throws IOException, InterruptedException {
        events(null);
    }

    private void events(MessageStream.@Nullable Item first)
            throws IOException, InterruptedException {
        response.setStatus(200);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.getHeaders().put("X-Accel-Buffering", "no");
        begin();
        var out = Content.Sink.asOutputStream(response);
        var item = first;
        boolean isLast = false;
        while (!isLast && !isOver()) { // However much there is to say.
            if (item == null) {
                out.write(COMMENT);
            } else {
                var send = item.send();
                isLast = send == null || write(send, out);
            }
            out.flush();
            item = isLast ? null : messages.poll(ALIVE);
        }
        out.close();
    }

    /** Whether it is the last one. */
    private boolean write(Send send, OutputStream out) throws IOException {
        out.write(EVENT);
        write(send.message().onOneLine(), out);
        out.write(END);
        return send.kind() == Send.Kind.REPLY;
    }
}
