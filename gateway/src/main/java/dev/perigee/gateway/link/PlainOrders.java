package dev.perigee.gateway.link;

import dev.perigee.protocol.json.ExactJson;
import dev.perigee.protocol.json.IsoInstant;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.link.ToolOrder.Execute;
import dev.perigee.protocol.tool.ToolRequest;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writer of {@code tool/execute} messages, of which each call has one: without the mapper, whose
 * bytes they have, where all their texts are plain and nothing but the answer is accepted. Pure.
 */
final class PlainOrders {
    private PlainOrders() {}

    /** The message with that id; null where it is the mapper's. */
    static byte @Nullable [] message(long id, Execute order) {
        if (order.request().accepts() != null || order.mayHaveRun() != null) {
            return null;
        }
        var deadline = IsoInstant.write(order.deadline());
        var last = order.lastDeadline() == null ? null : IsoInstant.write(order.lastDeadline());
        var reply = order.reply();
        var correlation =
                reply == null || reply.correlationId() == null
                        ? null
                        : Base64.getEncoder().encodeToString(reply.correlationId());
        return ExactJson.write(
                out -> {
                    out.begin()
                            .field("jsonrpc", JsonRpc.VERSION)
                            .field("id", id)
                            .field("method", LinkMethod.EXECUTE)
                            .begin("params")
                            .field("partition", order.partition())
                            .begin("origin")
                            .field("topic", order.origin().topic())
                            .field("partition", order.origin().partition())
                            .field("offset", order.origin().offset())
                            .end()
                            .field("process_id", order.processId());
                    request(out.begin("request"), order.request());
                    out.end().field("deadline", deadline);
                    if (reply != null) {
                        reply(out.begin("reply"), reply);
                        out.field("correlation_id", correlation).end();
                    }
                    out.field("traceparent", order.traceparent()).field("last_deadline", last);
                    number(out, "input_ms", order.inputMs());
                    out.field("tracestate", order.tracestate())
                            .field("resume", order.resume())
                            .end()
                            .end();
                });
    }

    private static void request(ExactJson out, ToolRequest request) {
        out.field("request_id", request.requestId())
                .field("team_id", request.teamId())
                .field("user_id", request.userId())
                .field("method", request.method())
                .field("tool_path", request.toolPath())
                .field("installation_id", request.installationId())
                .field("arguments", request.arguments());
        number(out, "timeout_ms", request.timeoutMs());
        out.field("query", request.query());
        number(out, "limit", request.limit());
        out.field("meta", request.meta()).field("log_level", request.logLevel());
        number(out, "extend_on_progress_ms", request.extendOnProgressMs());
        number(out, "max_timeout_ms", request.maxTimeoutMs());
        number(out, "input_timeout_ms", request.inputTimeoutMs());
        out.field("in_reply_to", request.inReplyTo())
                .field("input_id", request.inputId())
                .field("responses", request.responses());
    }

    private static void reply(ExactJson out, ReplyTo reply) {
        out.field("topic", reply.topic());
        if (reply.partition() != null) {
            out.field("partition", reply.partition());
        }
    }

    private static void number(ExactJson out, String name, @Nullable Long number) {
        if (number != null) {
            out.field(name, number);
        }
    }
}
