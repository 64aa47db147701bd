package dev.perigee.local.connect;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Session of a client of the revisions before 2026-07-28 over HTTP, which belongs to one user:
 * sends each message on the stream of the request that it is about, or on the stream that the
 * client opened for all others, and leaves out what has neither. Safe for use by any thread.
 */
final class DoorSession implements SessionDriver.Outlet {
    private final String id;
    private final DoorUser user;
    private final Places.Place place;
    private final Map<RawJson, MessageStream> requests = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable MessageStream> listening = new AtomicReference<>();
    private volatile long usedAt = System.nanoTime();

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

    /** Opens the stream of a request; false where one with this id is answered already. */
    boolean open(RawJson request, MessageStream stream) {
        usedAt = System.nanoTime();
        return requests.putIfAbsent(request, stream) == null;
    }

    /** The client reads a request's stream no more. */
    void close(RawJson request, MessageStream stream) {
        requests.remove(request, stream);
        usedAt = System.nanoTime();
    }

    /** Opens the stream for all else, in the place of the one before. */
    void listen(MessageStream stream) {
        usedAt = System.nanoTime();
        var before = listening.getAndSet(stream);
        if (before != null) {
            before.end();
        }
    }

    /** The client does not read it any more. */
    void unlisten(MessageStream stream) {
        listening.compareAndSet(stream, null);
        usedAt = System.nanoTime();
    }

    /** Whether its client reads nothing, and has sent nothing for so long. */
    boolean isIdle(Duration since) {
        return requests.isEmpty()
                && listening.get() == null
                && System.nanoTime() - usedAt > since.toNanos();
    }

    long usedAt() {
        return usedAt;
    }

    void use() {
        usedAt = System.nanoTime();
    }

    @Override
    public void send(Send send) {
        var about = send.about();
        var stream =
                send.kind() == Send.Kind.REPLY
                        ? (about == null ? null : requests.remove(about))
                        : (about == null ? null : requests.get(about));
        if (stream == null && send.kind() != Send.Kind.REPLY) {
            stream = listening.get();
        }
        if (stream != null) {
            stream.add(send);
        }
    }

    @Override
    public void flush() {
        // Each message is on its way already.
    }

    /** It has ended: so do its streams. */
    void over() {
        place.close();
        requests.values().forEach(MessageStream::end);
        var stream = listening.get();
        if (stream != null) {
            stream.end();
        }
    }
}
