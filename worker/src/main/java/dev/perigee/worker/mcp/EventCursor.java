package dev.perigee.worker.mcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The place in a stream of events from which another stream goes on: the id of the last whole
 * event, if the server gave it one, and the pause that the server asks for before. Of an id longer
 * than 1,024 characters, or one that no header takes, nothing is kept. Safe for use by any thread.
 */
final class EventCursor implements EventFramer.Sink {
    /** Longest line of a stream that matters here; the rest of it need not be kept. */
    static final int MAX_LINE_BYTES = 2048;

    private static final int MAX_ID_CHARACTERS = 1024;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LEAST_PAUSE = Duration.ofMillis(500);
    private static final Duration MOST_PAUSE = Duration.ofMinutes(5);

    private volatile @Nullable String lastEventId;
    private volatile Duration pause = FIRST_PAUSE;

    /** Null where the server gave none. */
    @Nullable String lastEventId() {
        return lastEventId;
    }

    /** From 500 ms to 5 minutes; 1 s where the server asks for none. */
    Duration pause() {
        return pause;
    }

    @Override
    public void message(String data) {}

    @Override
    public void id(String id) {
        lastEventId = mayBeSent(id) ? id : null;
    }

    /** Whether it is one, and fits into a header. */
    private static boolean mayBeSent(String id) {
        return !id.isEmpty()
                && id.length() <= MAX_ID_CHARACTERS
                && id.chars().allMatch(character -> character >= ' ' && character <= '~');
    }

    @Override
    public void retry(Duration asked) {
        pause = bounded(asked);
    }

    /** A pause that a server asks for, from 500 ms to 5 minutes. */
    static Duration bounded(Duration asked) {
        return Duration.ofMillis(
                Math.clamp(asked.toMillis(), LEAST_PAUSE.toMillis(), MOST_PAUSE.toMillis()));
    }
}
