package dev.perigee.local.connect;

import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import java.time.Duration;

/** Effect that an {@link McpSession} asks for; carried out in order. */
sealed interface Action {
    /** One message for the client. */
    record Send(RawJson message) implements Action {}

    /**
     * A request to the fleet, of which events, answer or failure are handed in.
     *
     * @param patience how long the answer is waited for
     */
    record Call(ToolRequest request, Duration patience) implements Action {}

    /** The end of a request that was begun; its failure is still handed in. */
    record Cancel(String requestId) implements Action {}

    /** The answer to a question of a running call. */
    record Respond(CallInputRequired question, RawJson responses) implements Action {}
}
