package dev.perigee.local.connect;

import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.access.UnreadRequest;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.JsonRpc;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * MCP endpoint of a door, on a virtual thread of each request: {@code /mcp} for all servers of the
 * token's user, {@code /mcp/SLUG} for one. Refuses by host and origin, then by token, before it
 * reads a body.
 */
final class DoorHandler extends Handler.Abstract {
    static final String PATH = "/mcp";
    static final String SESSION_HEADER = "Mcp-Session-Id";

    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";
    private static final int MOST_BYTES = McpConnection.MOST_LINE_BYTES;
    private static final int BLOCK_BYTES = 16 << 10;

    /** Of a body that is refused, so that its client reads why. */
    private static final int MOST_DISCARDED_BYTES = 4 * MOST_BYTES;

    private static final String AGAIN_SECONDS = "5";
    private static final Duration READING = Duration.ofSeconds(60);

    private final DoorHosts hosts;
    private final DoorTokens tokens;
    private final LegacyDoor legacy;
    private final ModernDoor modern;
    private final Consumer<String> note;
    private final Places exchanges =
            new Places(DoorOptions.EXCHANGES_OF_ONE, DoorOptions.EXCHANGES);
    private final Places bytes = new Places(DoorOptions.BYTES_OF_ONE, DoorOptions.BYTES);
    private final Duration longest;

    /**
     * A handler.
     *
     * @param longest time that a response may take
     * @param note takes what only a person can act on, and no secrets; for any thread
     */
    DoorHandler(
            DoorHosts hosts,
            DoorTokens tokens,
            LegacyDoor legacy,
            ModernDoor modern,
            Duration longest,
            Consumer<String> note) {
        this.hosts = hosts;
        this.tokens = tokens;
        this.legacy = legacy;
        this.modern = modern;
        this.longest = longest;
        this.note = note;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try {
            answer(request, response);
            callback.succeeded();
        } catch (DoorRefusedException e) {
            refuse(response, callback, e);
        } catch (IOException e) {
            callback.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            callback.failed(e);
        } catch (RuntimeException e) {
            note.accept("Unexpected error; continuing: " + e.getClass().getSimpleName());
            callback.failed(e);
        }
        return true;
    }

    private static void refuse(Response response, Callback callback, DoorRefusedException refusal) {
        if (response.isCommitted()) {
            callback.failed(refusal);
            return;
        }
        UnreadRequest.announceClose(response);
        response.setStatus(refusal.status());
        if (refusal.status() == 429 || refusal.status() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, AGAIN_SECONDS);
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.wrap(refusal.body().bytes()), callback);
    }

    private static DoorRefusedException refused(int status, String message) {
        return new DoorRefusedException(status, null, Messages.INVALID_REQUEST, message);
    }

    private void answer(Request request, Response response)
            throws IOException, InterruptedException {
        var headers = request.getHeaders();
        if (!hosts.allow(single(request, "Host"), headers.get(HttpHeader.ORIGIN))) {
            throw refused(403, "Host or Origin is none of this door's: perigee door --host");
        }
        var holder = tokens.holder(single(request, "Authorization"));
        if (holder == null) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
            throw refused(401, "A token that this door knows is needed");
        }
        var path = Request.getPathInContext(request);
        if (!path.equals(PATH) && !path.startsWith(PATH + "/")) {
            throw refused(
                    404, "The endpoint is " + PATH + ", or " + PATH + "/ and a server's slug");
        }
        var server = path.length() > PATH.length() + 1 ? path.substring(PATH.length() + 1) : null;
        try (var place = exchanges.take(holder);
                var counted = bytes.none(holder)) {
            if (place == null) {
                throw refused(429, "Too many requests are open");
            }
            var out =
                    new DoorResponse(
                            response,
                            new MessageStream(counted),
                            longest,
                            () -> holds(request, holder));
            switch (request.getMethod()) {
                case "POST" -> post(request, holder, server, out);
                case "GET" -> {
                    requireAccepted(request, EVENTS);
                    legacy.listen(holder, server, name -> single(request, name), out);
                }
                case "DELETE" -> legacy.delete(holder, server, name -> single(request, name), out);
                default -> {
                    response.getHeaders().put(HttpHeader.ALLOW, "POST, GET, DELETE");
                    throw refused(405, "POST, GET and DELETE are answered here");
                }
            }
        }
    }

    private boolean holds(Request request, Holder holder) {
        return holder.equals(tokens.holder(single(request, "Authorization")));
    }

    /** The value of a header, as {@link RequestHeaders} have it. */
    private static @Nullable String single(Request request, String name) {
        var values = request.getHeaders().getValuesList(name);
        return values.size() == 1 ? values.getFirst() : null;
    }

    private void post(Request request, Holder holder, @Nullable String server, DoorResponse out)
            throws IOException, InterruptedException {
        var type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith(JSON)) {
            throw refused(415, "The body is " + JSON);
        }
        requireAccepted(request, JSON);
        requireAccepted(request, EVENTS);
        try (var held = bytes.none(holder)) {
            post(request, holder, server, body(request, held), held, out);
        }
    }

    private void post(
            Request request,
            Holder holder,
            @Nullable String server,
            byte[] body,
            Places.Place held,
            DoorResponse out)
            throws IOException, InterruptedException {
        JsonRpc message;
        try {
            message = JsonRpc.readInput(body);
        } catch (InvalidRecordException e) {
            int code = e.isMalformed() ? Messages.PARSE_ERROR : Messages.INVALID_REQUEST;
            throw new DoorRefusedException(
                    400, null, code, "This is no JSON-RPC message: " + e.getMessage());
        }
        var id = message.id();
        if (!JsonRpc.VERSION.equals(message.version()) || (id != null && !Messages.isId(id))) {
            throw refused(400, "jsonrpc is \"2.0\", and an id a short string or a number");
        }
        var version = single(request, ModernMessage.VERSION_HEADER);
        if (isLegacy(version, message, single(request, SESSION_HEADER))) {
            legacy.post(holder, server, message, body, held, name -> single(request, name), out);
        } else {
            modern.post(holder, server, message, body, held, name -> single(request, name), out);
        }
    }

    /** By the version that it says; where it says none, by what else such messages have. */
    private static boolean isLegacy(
            @Nullable String version, JsonRpc message, @Nullable String session) {
        if (version != null) {
            return McpSession.speaks(version)
                    || (session != null && !version.equals(ModernMessage.VERSION));
        }
        return session != null
                || ("initialize".equals(message.method()) && !ModernMessage.says(message))
                || !ModernMessage.says(message);
    }

    private static void requireAccepted(Request request, String type) {
        var accept = request.getHeaders().getValuesList(HttpHeader.ACCEPT);
        if (accept.stream().noneMatch(each -> each.contains(type) || each.contains("*/*"))) {
            throw refused(406, "Accept has to have " + type);
        }
    }

    private static byte[] body(Request request, Places.Place held) throws IOException {
        if (request.getLength() > MOST_DISCARDED_BYTES) {
            throw tooLarge();
        }
        long end = System.nanoTime() + READING.toNanos();
        var all = new ByteArrayOutputStream();
        var block = new byte[BLOCK_BYTES];
        var in = Content.Source.asInputStream(request);
        long size = 0;
        DoorRefusedException refusal = null;
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            if (System.nanoTime() > end) {
                throw refused(408, "A body comes within " + READING.toSeconds() + " s");
            }
            size += read;
            if (size > MOST_DISCARDED_BYTES) {
                throw tooLarge();
            }
            if (refusal == null) {
                if (size > MOST_BYTES) {
                    refusal = tooLarge();
                } else if (!held.grow(read)) {
                    refusal = refused(429, "Too much is on its way, or in calls in flight");
                }
            }
            if (refusal == null) {
                all.write(block, 0, read);
            } else {
                all = new ByteArrayOutputStream();
                held.close();
            }
        }
        if (refusal != null) {
            throw refusal;
        }
        return all.toByteArray();
    }

    private static DoorRefusedException tooLarge() {
        return refused(413, "A message may have " + MOST_BYTES + " bytes");
    }
}
