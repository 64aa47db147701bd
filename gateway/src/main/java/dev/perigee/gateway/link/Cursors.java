package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Position of this gateway in each journal of a session. Recognizes repeats, which come where a
 * replay and live events overlap, and holes. One thread at a time.
 */
final class Cursors {
    /** What an entry is to this gateway. */
    enum Arrival {
        NEXT,
        /** News, but entries before it did not come. */
        AFTER_HOLE,
        REPEAT
    }

    private record Position(long startToken, long seq) {}

    private final Map<String, Position> positions = new HashMap<>();

    /** Notes an entry, unless it is a repeat. */
    Arrival arrive(SessionNotice.InstanceEvent event) {
        var last = positions.get(event.processId());
        if (last != null && event.seq() <= last.seq() && event.startToken() <= last.startToken()) {
            return Arrival.REPEAT;
        }
        var token =
                last == null ? event.startToken() : Math.max(last.startToken(), event.startToken());
        positions.put(event.processId(), new Position(token, event.seq()));
        return last == null || event.seq() <= last.seq() + 1 ? Arrival.NEXT : Arrival.AFTER_HOLE;
    }

    /** For the next attach. */
    List<Attach.Cursor> list() {
        return positions.entrySet().stream()
                .map(
                        entry ->
                                new Attach.Cursor(
                                        entry.getKey(),
                                        entry.getValue().startToken(),
                                        entry.getValue().seq()))
                .toList();
    }

    /** Forgets processes that the session no longer has. */
    void retain(Attach.Result attached) {
        positions
                .keySet()
                .retainAll(
                        attached.processes().stream()
                                .map(Attach.AttachedProcess::processId)
                                .collect(Collectors.toSet()));
    }
}
