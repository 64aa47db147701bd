package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;

/**
 * Takes the answer to one request; called on the connection's reader, once: keep it short. A call
 * that outlives its connection does not see the close.
 */
interface AnswerHandler {
    void result(RawJson result);

    /**
     * The worker refused.
     *
     * @param generation of the connection
     */
    void failure(long generation, int code, String message);

    /** The connection closed before an answer came. */
    default void disconnected() {}
}
