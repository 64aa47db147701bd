package dev.perigee.console;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Events for a board. */
final class ConsoleEvents {
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private ConsoleEvents() {}

    static Event event(String processId, int second, EventBody body) {
        return Event.of(
                new EventOrigin(
                        processId,
                        4711L,
                        "inst",
                        "name of " + processId,
                        "everything",
                        "team",
                        "user",
                        "worker-1",
                        second,
                        NOON.plusSeconds(second)),
                body);
    }

    static Event status(String processId, int second, ServerStatus status) {
        return event(
                processId,
                second,
                new EventBody.StatusChanged(status, "because " + second, null, null));
    }

    static Event logs(String processId, int second, String... lines) {
        return event(
                processId,
                second,
                new EventBody.Logs(
                        List.of(lines).stream()
                                .map(line -> new LogLine("info", line, Map.of(), NOON))
                                .toList()));
    }

    static Event crash(String processId, int second) {
        return event(
                processId,
                second,
                new EventBody.Crashed(null, "SIGKILL", 12.34, 1, true, 1000L, null));
    }
}
