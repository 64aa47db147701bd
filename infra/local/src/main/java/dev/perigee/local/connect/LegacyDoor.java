package dev.perigee.local.connect;

import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.json.JsonRpc;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Streamable HTTP of the revisions before 2026-07-28: sessions by {@code Mcp-Session-Id}, of which
 * another user's is as unknown as none. A connection that breaks cancels nothing. On the threads of
 * requests.
 */
final class LegacyDoor {
    private static final int ACCEPTED = 202;

    private final DoorDesk desk;

    LegacyDoor(DoorDesk desk) {
        this.desk = desk;
    }

    /**
     * A message of a client.
     *
     * @param bytes of the body, which a request holds until its end
     */
    void post(
            Holder holder,
            @Nullable String server,
            JsonRpc message,
            byte[] body,
            Places.Place bytes,
            RequestHeaders headers,
            DoorResponse out)
            throws IOException, InterruptedException {
        requireVersion(headers);
        DoorSession session;
        if ("initialize".equals(message.method())
                && headers.value(DoorHandler.SESSION_HEADER) == null) {
            var user = desk.user(holder, server);
            var _ = user.awaitOffer(); // No session without.
            session = desk.begin(user);
            out.header(DoorHandler.SESSION_HEADER, session.id());
        } else {
            session = session(holder, server, headers);
        }
        var id = message.id();
        if (id == null || message.method() == null) {
            receive(session, body);
            out.empty(ACCEPTED);
            return;
        }
        var stream = out.messages();
        if (!session.open(id, stream, bytes)) {
            throw new DoorRefusedException(
                    400, id, Messages.INVALID_REQUEST, "A request with this id is in flight");
        }
        boolean isReceived = false;
        try {
            receive(session, body);
            isReceived = true;
            out.reply(_ -> 200);
        } finally {
            if (isReceived) {
                session.close(id, stream);
            } else {
                session.end(id);
            }
        }
    }

    private void receive(DoorSession session, byte[] body) throws InterruptedException {
        if (!desk.receive(session, body)) {
            session.use();
            throw new DoorRefusedException(
                    503, null, Messages.INTERNAL_ERROR, "The session is busy: try again later");
        }
    }

    /** A client waits for what is about none of its requests. */
    void listen(Holder holder, @Nullable String server, RequestHeaders headers, DoorResponse out)
            throws IOException, InterruptedException {
        if (ModernMessage.VERSION.equals(headers.value(ModernMessage.VERSION_HEADER))) {
            throw new DoorRefusedException(
                    405, null, Messages.INVALID_REQUEST, "This revision has POST only");
        }
        requireVersion(headers);
        var session = session(holder, server, headers);
        var stream = out.messages();
        session.listen(stream);
        try {
            out.events();
        } finally {
            session.unlisten(stream);
        }
    }

    /** A client ends its session. */
    void delete(Holder holder, @Nullable String server, RequestHeaders headers, DoorResponse out) {
        requireVersion(headers);
        desk.end(session(holder, server, headers));
        out.empty(204);
    }

    private static void requireVersion(RequestHeaders headers) {
        var version = headers.value(ModernMessage.VERSION_HEADER);
        if (version != null && !McpSession.speaks(version)) {
            throw ModernMessage.unsupported(null, version);
        }
    }

    private DoorSession session(Holder holder, @Nullable String server, RequestHeaders headers) {
        var id = headers.value(DoorHandler.SESSION_HEADER);
        if (id == null) {
            throw new DoorRefusedException(
                    400,
                    null,
                    Messages.INVALID_REQUEST,
                    "Mcp-Session-Id is missing: a session begins with initialize");
        }
        var session = desk.session(id, new DoorUser.Key(holder, server));
        if (session == null) {
            throw DoorSession.unknown();
        }
        session.use();
        return session;
    }
}
