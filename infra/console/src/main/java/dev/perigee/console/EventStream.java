package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a board's changes to one viewer, as server-sent events, until it is gone or the board
 * is closed. On the viewer's own thread: a viewer that does not read holds up itself only.
 */
final class EventStream {
    private static final Duration PAUSE = Duration.ofMillis(150);
    private static final byte[] ALIVE = ":\n\n".getBytes(UTF_8);

    private final Board board;
    private final @Nullable String looksAt;
    private final Duration silence;

    /**
     * A stream.
     *
     * @param looksAt the instance whose history is wanted too, null for none
     * @param silence after which it says that it lives, and finds out whether the viewer does
     */
    EventStream(Board board, @Nullable String looksAt, Duration silence) {
        this.board = board;
        this.looksAt = looksAt;
        this.silence = silence;
    }

    /**
     * Sends until it ends.
     *
     * @param known of the fleet and the list
     * @param knownOfIt the version up to which the viewer knows the instance it looks at
     * @throws IOException when the viewer is gone
     */
    void tell(Cursor known, long knownOfIt, OutputStream out)
            throws IOException, InterruptedException {
        var cursor = known;
        long ofIt = knownOfIt;
        boolean first = true;
        while (!board.isClosed()) {
            var update = board.await(cursor, looksAt, ofIt, first ? Duration.ZERO : silence);
            if (first || !update.isEmpty()) {
                out.write(event(update));
                cursor = update.cursor();
                ofIt = cursor.version();
            } else {
                out.write(ALIVE);
            }
            out.flush();
            first = false;
            // Changes that come together are sent together.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE.toMillis()));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static byte[] event(Update update) {
        var json = Json.write(update);
        var head = ("id: " + update.cursor() + "\ndata: ").getBytes(UTF_8);
        var event = new byte[head.length + json.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(json, 0, event, head.length, json.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        return event;
    }
}
