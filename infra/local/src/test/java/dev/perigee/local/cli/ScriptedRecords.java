package dev.perigee.local.cli;

import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records that a {@link ScriptedGateway} writes, all at one time unless they say how much later.
 */
final class ScriptedRecords {
    static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");

    private ScriptedRecords() {}

    static Answer status(
            String process, String team, ServerStatus status, @Nullable String message) {
        return event(
                Topic.STATUS,
                process,
                team,
                new EventBody.StatusChanged(status, message, null, null));
    }

    static Answer event(Topic topic, String process, String team, EventBody body) {
        return at(0, topic, process, team, body);
    }

    static Answer at(int second, Topic topic, String process, String team, EventBody body) {
        var origin =
                new EventOrigin(
                        process,
                        null,
                        "abc123",
                        null,
                        "everything",
                        team,
                        "u1",
                        "worker-1",
                        1,
                        TIME.plusSeconds(second));
        return new Answer(topic, process, Event.of(origin, body));
    }

    static List<Answer> answer(ToolRequest request, ToolOutcome outcome, String result) {
        return List.of(
                new Answer(
                        Topic.TOOL_RESULTS,
                        request.requestId(),
                        new ToolResult(
                                ToolResult.EVENT,
                                request.requestId(),
                                request.teamId(),
                                request.userId(),
                                "p",
                                request.toolPath(),
                                outcome,
                                RawJson.of(result),
                                null,
                                1,
                                1,
                                TIME)));
    }

    static List<Answer> failed(ToolRequest request, ErrorCode code, String message) {
        var error = ToolError.of(code, message, null);
        return List.of(
                new Answer(
                        Topic.TOOL_RESULTS,
                        request.requestId(),
                        ToolResult.refused(request, null, error, TIME)));
    }
}
