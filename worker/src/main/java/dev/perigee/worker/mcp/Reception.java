package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a server's messages, one by one, on the transport's thread: completes the callers that
 * wait for answers, replies to the server's own requests ({@code roots/list} with no roots, {@code
 * ping} with an empty object, what nobody takes with an error), and passes the rest to the
 * listener. Never blocks.
 */
final class Reception {
    private static final Logger log = LoggerFactory.getLogger(Reception.class);
    private static final RawJson NO_ROOTS = RawJson.of("{\"roots\":[]}");
    private static final int QUOTED_BYTES = 200;

    private final LogContext about = LogContext.current();
    private final String processId;
    private final InFlight inFlight;
    private final McpListener listener;
    private final Transport transport;

    /** Operations that differ between transports. */
    interface Transport {
        /** The name of where messages come from, for the log. */
        String source();

        /** Sends a reply to the server, or drops it when that would take time. */
        void reply(byte[] message);

        /** The server answered the request of this id, with an error where it refused. */
        default void answered(long id, boolean refused) {}
    }

    Reception(String processId, InFlight inFlight, McpListener listener, Transport transport) {
        this.processId = processId;
        this.inFlight = inFlight;
        this.listener = listener;
        this.transport = transport;
    }

    /** One message, or what should have been one. */
    void receive(byte[] bytes) {
        if (!McpMessage.mayBe(bytes)) {
            garbage("not an object", bytes);
            return;
        }
        McpMessage message;
        try {
            message = McpMessage.read(bytes);
        } catch (InvalidRecordException e) {
            garbage(e.getMessage(), bytes);
            // Where it can be seen which request this would have answered, that one need not wait.
            inFlight.refuse(
                    SkippedAnswer.id(bytes),
                    McpException.Kind.INVALID_ANSWER,
                    "The server's answer cannot be read: " + e.getMessage());
            return;
        }
        switch (message) {
            case McpMessage.Answer(var id, var result) -> {
                late(inFlight.answer(id, result));
                transport.answered(id, false);
            }
            case McpMessage.Refusal refusal -> {
                about.on(log.atDebug())
                        .addKeyValue("process_id", processId)
                        .addKeyValue("code", refusal.error().code())
                        .log("Server answered with an error");
                late(inFlight.refuse(refusal));
                transport.answered(refusal.id(), true);
            }
            case McpMessage.Question(var id, var method, var params) ->
                    reply(new ServerQuestion(id, method, params));
            case McpMessage.Notice(var method, var params) -> notice(method, params);
            case McpMessage.Stray ignored -> late(false);
        }
    }

    private void late(boolean awaited) {
        if (!awaited) {
            about.on(log.atDebug())
                    .addKeyValue("process_id", processId)
                    .log("Ignored a late or unmatched response");
        }
    }

    private void reply(ServerQuestion question) {
        switch (question.method()) {
            case "roots/list" -> transport.reply(McpMessage.answer(question.id(), NO_ROOTS));
            case "ping" -> transport.reply(McpMessage.answer(question.id(), RawJson.EMPTY_OBJECT));
            case ServerQuestion.ELICIT, ServerQuestion.SAMPLE ->
                    refuse(question, listener.onQuestion(question));
            default -> refuse(question, ServerQuestion.Refusal.NOT_FOUND);
        }
    }

    private void refuse(ServerQuestion question, ServerQuestion.@Nullable Refusal why) {
        if (why != null) {
            transport.reply(McpMessage.refuse(question.id(), why.code(), why.message()));
        }
    }

    private void withdrawn(RawJson params) {
        try {
            var id = JsonMembers.of(params).get("requestId");
            if (id != null) {
                listener.onQuestionWithdrawn(id);
            }
        } catch (InvalidRecordException e) {
            // Not as MCP has it: there is nobody to tell.
        }
    }

    private void notice(String method, @Nullable RawJson params) {
        switch (method) {
            case "notifications/tools/list_changed" -> {
                listener.onToolsChanged();
                listener.onNotice(method, params);
            }
            case "notifications/progress" -> {
                if (params != null) {
                    listener.onProgress(params);
                }
            }
            case "notifications/message" -> {
                if (params != null) {
                    listener.onMessage(params);
                }
            }
            case "notifications/cancelled" -> {
                if (params != null) {
                    withdrawn(params);
                }
            }
            case "notifications/subscriptions/acknowledged" -> {
                if (params != null) {
                    acknowledged(params);
                }
            }
            default -> listener.onNotice(method, params);
        }
    }

    /** What a server says first of all is the answer that its listener waits for. */
    private void acknowledged(RawJson params) {
        var id = ModernMeta.subscription(params);
        if (id != null) {
            var _ = inFlight.answer(id, params);
        }
    }

    private void garbage(@Nullable String why, byte[] bytes) {
        listener.onGarbage(
                () -> transport.source() + " is not JSON-RPC (" + why + "): " + quoted(bytes));
    }

    private static String quoted(byte[] bytes) {
        return bytes.length <= QUOTED_BYTES
                ? new String(bytes, StandardCharsets.UTF_8)
                : new String(bytes, 0, QUOTED_BYTES, StandardCharsets.UTF_8) + '…';
    }
}
