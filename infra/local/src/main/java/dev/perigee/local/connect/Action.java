package dev.perigee.local.connect;

import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Effect that an {@link McpSession} asks for; carried out in order. */
sealed interface Action {
    /**
     * One message for the client.
     *
     * @param about the id of the client's request that it belongs to; null for none
     * @param question the name of the question in its call; null of all else
     */
    record Send(RawJson message, Kind kind, @Nullable RawJson about, @Nullable String question)
            implements Action {
        /** What a message is to a request of the client's. */
        enum Kind {
            REPLY,
            NOTE,
            QUESTION,
            WITHDRAWAL
        }

        static Send reply(@Nullable RawJson to, RawJson message) {
            return new Send(message, Kind.REPLY, to, null);
        }

        static Send note(@Nullable RawJson about, RawJson message) {
            return new Send(message, Kind.NOTE, about, null);
        }

        static Send question(RawJson about, String name, RawJson message) {
            return new Send(message, Kind.QUESTION, about, name);
        }

        /** The end of a question that was not answered. */
        static Send withdrawal(RawJson about, RawJson message) {
            return new Send(message, Kind.WITHDRAWAL, about, null);
        }
    }

    /**
     * A request to the fleet, of which events, answer or failure are handed in.
     *
     * @param patience how long the answer is waited for
     */
    record Call(ToolRequest request, Duration patience) implements Action {}

    /**
     * The end of a request that was begun; its failure is still handed in.
     *
     * @param about the id of the client's request that it belongs to
     */
    record Cancel(String requestId, RawJson about) implements Action {}

    /** The client has cancelled its request with this id: no reply comes. */
    record End(RawJson id) implements Action {}

    /** The answer to a question of a running call. */
    record Respond(CallInputRequired question, RawJson responses) implements Action {}
}
