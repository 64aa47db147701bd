package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** A session with one MCP server. Safe for use by any thread; many requests may be in flight. */
public interface McpClient {

    /**
     * Makes the handshake; before it is done nothing else may be sent.
     *
     * @throws McpException when the server does not answer as MCP asks, or ends
     */
    ServerInfo initialize(Duration timeout) throws McpException, InterruptedException;

    /**
     * Sends a request. The caller must call {@link McpRequest#done} in the end.
     *
     * @param params a JSON object
     * @param timeout how long to wait until it can be sent: for room in the server's input, for a
     *     session
     * @throws McpException when it was not sent
     * @throws InterruptedException when interrupted before it was sent
     */
    default McpRequest send(String method, RawJson params, Duration timeout)
            throws McpException, InterruptedException {
        return send(method, params, CallRound.ONLY, timeout);
    }

    /** The same, of a call of rounds. */
    McpRequest send(String method, RawJson params, CallRound round, Duration timeout)
            throws McpException, InterruptedException;

    /**
     * Answers a question of the server that was taken; waits, bounded, while the server does not
     * read.
     *
     * @param result as MCP has it for the question's method
     * @throws McpException when it was not sent
     */
    void reply(ServerQuestion question, RawJson result) throws McpException;

    /** The same for one that has no result, for people. */
    void refuse(ServerQuestion question, ServerQuestion.Refusal why) throws McpException;

    /**
     * Whether changes of resources are told by {@link #listen}, rather than subscribed to by a
     * request for each.
     */
    boolean listens();

    /**
     * Whether the server has arguments of its tools in headers, too, where it says so in their
     * schemas; known after the handshake.
     */
    default boolean mirrorsArguments() {
        return false;
    }

    /**
     * Whether {@link #listen} is worth calling without resources: lists of the server change, and
     * nothing else says so.
     */
    default boolean listensToLists() {
        return false;
    }

    /**
     * Has a modern server notify of changes of these resources from now on, in place of those
     * before; blocks until it acknowledges that.
     *
     * @param uris all of them, none to end it; lists that change may be told all the same
     * @return those of which the server does not notify
     * @throws McpException when the server does not acknowledge it in time; what it was asked
     *     before goes on
     * @throws InterruptedException when interrupted before that
     */
    List<String> listen(Collection<String> uris, Duration timeout)
            throws McpException, InterruptedException;

    /** Sends a request and waits for its result, as long as there is time left. */
    default RawJson request(String method, RawJson params, Supplier<Duration> left)
            throws McpException, InterruptedException {
        var request = send(method, params, left.get());
        try {
            return request.await(left);
        } finally {
            request.done();
        }
    }

    /** Sends a request and waits for its result. */
    default RawJson request(String method, RawJson params, Duration timeout)
            throws McpException, InterruptedException {
        long start = System.nanoTime();
        var request = send(method, params, timeout);
        return request.awaitAndTake(timeout.minusNanos(System.nanoTime() - start));
    }
}
