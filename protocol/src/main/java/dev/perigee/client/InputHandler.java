package dev.perigee.client;

import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolResult;
import org.jspecify.annotations.Nullable;

/**
 * Author of the responses to what a server asks during a call. Called once for each question, on a
 * virtual thread of its own that is interrupted when the call has its answer; several at a time.
 */
@FunctionalInterface
public interface InputHandler {
    /**
     * Responses to a question. May wait, at best until {@link CallInputRequired#expiresAt()}. What
     * it throws ends the wait for the call.
     *
     * @return an object with one response for each of the question's requests, under the same name;
     *     null to leave the question to somebody else, or to its expiry
     */
    @Nullable RawJson answer(CallInputRequired question) throws InterruptedException;

    /**
     * Refusal of the responses, such as because others were sooner, or because they are not what
     * was asked for; nothing is tried again. Does nothing unless it is overridden.
     *
     * @param answer with the reason
     */
    default void refused(CallInputRequired question, ToolResult answer) {}
}
