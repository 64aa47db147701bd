package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.ExactJson;
import dev.perigee.protocol.json.IsoInstant;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.instance.InstanceIdentity;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writer of results and their journal entries, of which each call has one: without the mapper,
 * whose bytes they have, where all their texts are plain. Pure.
 */
final class PlainResults {
    private PlainResults() {}

    /** A result as the backend reads it; null where it is the mapper's. */
    static @Nullable RawJson result(ToolResult result) {
        var outcome = outcome(result.outcome());
        if (outcome == null || result.error() != null) {
            return null;
        }
        var timestamp = IsoInstant.write(result.timestamp());
        var written =
                ExactJson.write(
                        out ->
                                out.begin()
                                        .field("event", result.event())
                                        .field("request_id", result.requestId())
                                        .field("team_id", result.teamId())
                                        .field("user_id", result.userId())
                                        .field("process_id", result.processId())
                                        .field("tool_path", result.toolPath())
                                        .field("outcome", outcome)
                                        .field("result", result.result())
                                        .field("attempts", result.attempts())
                                        .field("duration_ms", result.durationMs())
                                        .field("timestamp", timestamp)
                                        .end());
        return written == null ? null : RawJson.ofBytes(written);
    }

    private static @Nullable String outcome(ToolOutcome outcome) {
        return switch (outcome) {
            case SUCCESS -> "success";
            case TOOL_ERROR -> "tool_error";
            case FAILED -> null;
        };
    }

    /** Its entry as a message of the link; null where it is the mapper's. */
    static byte @Nullable [] entry(
            InstanceIdentity about, long seq, ToolOrder.Execute order, RawJson data) {
        var reply = order.reply();
        var correlation =
                reply == null || reply.correlationId() == null
                        ? null
                        : Base64.getEncoder().encodeToString(reply.correlationId());
        return ExactJson.write(
                out -> {
                    out.begin()
                            .field("jsonrpc", JsonRpc.VERSION)
                            .field("method", LinkMethod.EVENT)
                            .begin("params")
                            .field("partition", about.partition())
                            .field("process_id", about.processId())
                            .field("start_token", about.startToken())
                            .field("seq", seq)
                            .field("type", EventType.TOOL_RESULT.wireName())
                            .field("key", order.request().requestId())
                            .field("data", data)
                            .begin("origin")
                            .field("topic", order.origin().topic())
                            .field("partition", order.origin().partition())
                            .field("offset", order.origin().offset())
                            .end();
                    if (reply != null) {
                        out.begin("reply").field("topic", reply.topic());
                        if (reply.partition() != null) {
                            out.field("partition", reply.partition());
                        }
                        out.field("correlation_id", correlation).end();
                    }
                    out.field("traceparent", order.traceparent()).end().end();
                });
    }
}
