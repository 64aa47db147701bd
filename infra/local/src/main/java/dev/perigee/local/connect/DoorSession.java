package dev.perigee.local.connect;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Session of a client of the revisions before 2026-07-28 over HTTP, which belongs to one user:
 * sends each message on the stream of the request that it is about, or on the stream that the
 * client opened for all others, and leaves out what has neither. Safe for use by any thread.
 */
final class DoorSession implements SessionDriver.Outlet {
    private static final int NOT_FOUND = 404;

    private final String id;
    private final DoorUser user;
    private final Places.Place place;
    private final Map<RawJson, Open> requests = new HashMap<>();
    private final Map<String, Places.Place> cancelled = new HashMap<>();
    private @Nullable MessageStream listening;
    private boolean over;
    private long usedAt = System.nanoTime();

    /**
     * A request without its reply.
     *
     * @param stream null where the client has left it
     * @param bytes given back at the end, or when the call is over that it cancelled
     */
    private record Open(@Nullable MessageStream stream, Places.Place bytes) {}

    /**
     * A session without its thread.
     *
     * @param id that nobody can guess
     * @param place given back at its end
     */
    DoorSession(String id, DoorUser user, Places.Place place) {
        this.id = id;
        this.user = user;
        this.place = place;
    }

    String id() {
        return id;
    }

    DoorUser user() {
        return user;
    }

    /** The refusal of a session that is not there. */
    static DoorRefusedException unknown() {
        return new DoorRefusedException(
                NOT_FOUND, null, Messages.INVALID_REQUEST, "There is no such session: initialize");
    }

    /** Opens a request; false where one with this id is in flight. */
    synchronized boolean open(RawJson request, MessageStream stream, Places.Place bytes) {
        use();
        if (requests.containsKey(request)) {
            return false;
        }
        requests.put(request, new Open(stream, bytes.handOver()));
        return true;
    }

    /** The client reads a request's stream no more. */
    synchronized void close(RawJson request, MessageStream stream) {
        usedAt = System.nanoTime();
        requests.computeIfPresent(
                request,
                (_, open) -> open.stream() == stream ? new Open(null, open.bytes()) : open);
    }

    /** Opens the stream for all else, in the place of the one before. */
    synchronized void listen(MessageStream stream) {
        use();
        if (listening != null) {
            listening.end();
        }
        listening = stream;
    }

    /** The client does not read it any more. */
    synchronized void unlisten(MessageStream stream) {
        usedAt = System.nanoTime();
        if (listening == stream) {
            listening = null;
        }
    }

    /**
     * Ends it where no request runs, its client reads nothing, and has sent nothing for so long.
     */
    synchronized boolean endIfIdle(Duration since) {
        if (!requests.isEmpty()
                || listening != null
                || System.nanoTime() - usedAt <= since.toNanos()) {
            return false;
        }
        over();
        return true;
    }

    synchronized long usedAt() {
        return usedAt;
    }

    /**
     * Its client is there.
     *
     * @throws DoorRefusedException when it has ended
     */
    synchronized void use() {
        if (over) {
            throw unknown();
        }
        usedAt = System.nanoTime();
    }

    @Override
    public synchronized void send(Send send) {
        var about = send.about();
        var open = about == null ? null : requests.get(about);
        var stream = open == null ? null : open.stream();
        if (stream == null && send.kind() != Send.Kind.REPLY) {
            stream = listening;
        }
        if (about != null && send.kind() == Send.Kind.REPLY) {
            remove(about); // The stream counts the reply from now on.
        }
        if (stream != null) {
            stream.add(send);
        }
    }

    private @Nullable Open remove(RawJson request) {
        var open = requests.remove(request);
        if (open != null) {
            open.bytes().close();
        }
        return open;
    }

    @Override
    public synchronized void end(RawJson request) {
        var open = remove(request);
        if (open != null && open.stream() != null) {
            open.stream().end();
        }
    }

    /** The call holds the request's body until it is over. */
    @Override
    public synchronized void cancel(String requestId, RawJson request) {
        var open = requests.get(request);
        if (open != null) {
            cancelled.put(requestId, open.bytes().handOver());
        }
    }

    @Override
    public synchronized void ended(String requestId) {
        var bytes = cancelled.remove(requestId);
        if (bytes != null) {
            bytes.close();
        }
    }

    @Override
    public void flush() {
        // Each message is on its way already.
    }

    /** It has ended: so do its requests, each with an error, and its streams. */
    synchronized void over() {
        over = true;
        place.close();
        for (var request : List.copyOf(requests.keySet())) {
            var message = "The session has ended, and the request may have been carried out";
            send(Send.reply(request, Messages.error(request, Messages.INTERNAL_ERROR, message)));
        }
        cancelled.values().forEach(Places.Place::close);
        cancelled.clear();
        if (listening != null) {
            listening.end();
        }
    }
}
