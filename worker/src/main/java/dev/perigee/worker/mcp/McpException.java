package dev.perigee.worker.mcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request without a result. The message is for people; where it quotes the server it may hold
 * what the server chose to say.
 */
public final class McpException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean sent;
    private final @Nullable Duration retryAfter;
    private final transient @Nullable ServerError serverError;

    /** Kinds of failure. */
    public enum Kind {
        /** The server answered with a JSON-RPC error; the message is the server's own. */
        SERVER_ERROR,
        /** No answer in time. */
        TIMEOUT,
        /** No connection, or one that broke off before the answer was whole. */
        UNREACHABLE,
        /** HTTP 401, or another 4xx with {@code WWW-Authenticate}. */
        UNAUTHORIZED,
        /** HTTP 403. */
        FORBIDDEN,
        /** The server refuses its handshake until its user authorizes. */
        AUTHORIZATION_REQUIRED,
        /** HTTP 429: the server did not process the request. */
        RATE_LIMITED,
        /** Any other HTTP 4xx: says something about this request, not about the server. */
        REQUEST_REFUSED,
        /** HTTP as it would be for any request: a redirect elsewhere, no TLS, no credentials. */
        HTTP_REFUSED,
        /** The egress policy does not let the worker connect there: nothing was sent. */
        EGRESS_REFUSED,
        /** HTTP 5xx. */
        HTTP_FAILED,
        /** The process ended by itself. */
        CRASHED,
        /** The process was ended by intent. */
        CLOSED,
        /** The process does not read its input, or what HTTP has to carry is not there in time. */
        NOT_READ,
        /** The caller cancelled the request. */
        CANCELLED,
        /** The answer is larger than a message may be. */
        TOO_LARGE,
        /** The answer is not what MCP asks for. */
        INVALID_ANSWER
    }

    McpException(Kind kind, boolean sent, String message) {
        this(kind, sent, message, null);
    }

    McpException(Kind kind, boolean sent, String message, @Nullable Duration retryAfter) {
        this(kind, sent, message, retryAfter, null);
    }

    private McpException(
            Kind kind,
            boolean sent,
            String message,
            @Nullable Duration retryAfter,
            @Nullable ServerError serverError) {
        super(message, null, false, false);
        this.kind = kind;
        this.sent = sent;
        this.retryAfter = retryAfter;
        this.serverError = serverError;
    }

    /** The server answered with a JSON-RPC error. */
    static McpException refusal(Kind kind, String message, ServerError error) {
        return new McpException(kind, true, message, null, error);
    }

    /**
     * A call that the server took, made a task of, and ended itself.
     *
     * @param error the server's own
     */
    public static McpException ofTask(String message, ServerError error) {
        return refusal(Kind.SERVER_ERROR, McpMessage.shortened(message), error);
    }

    /** A call that the server took, and that was not over in time. */
    public static McpException late(String message) {
        return new McpException(Kind.TIMEOUT, true, message);
    }

    /** A call that the server took, and whose end cannot be had any more. */
    public static McpException lost(String message) {
        return new McpException(Kind.CLOSED, true, message);
    }

    /**
     * The same for a request that this one is part of, and that was sent before: that this one was
     * not dealt with says nothing of that.
     */
    public McpException ofSentBefore() {
        return switch (kind) {
            case NOT_READ,
                    RATE_LIMITED,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    EGRESS_REFUSED ->
                    lost(String.valueOf(getMessage()));
            case SERVER_ERROR,
                    TIMEOUT,
                    UNREACHABLE,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    HTTP_FAILED,
                    CRASHED,
                    CLOSED,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER ->
                    sent
                            ? this
                            : new McpException(
                                    kind,
                                    true,
                                    String.valueOf(getMessage()),
                                    retryAfter,
                                    serverError);
        };
    }

    /** The same for a request that depended on this one and surely was not sent. */
    McpException beforeSending() {
        return sent
                ? new McpException(kind, false, String.valueOf(getMessage()), retryAfter)
                : this;
    }

    /** An answer that breaks the protocol. */
    public static McpException invalidAnswer(String message) {
        return new McpException(Kind.INVALID_ANSWER, true, message);
    }

    /** A request that was not sent, since what it had to carry could not be had. */
    public static McpException withoutCredentials(String message) {
        return new McpException(Kind.HTTP_REFUSED, false, message);
    }

    /** A request that was not sent, since what it had to carry was not there by its deadline. */
    public static McpException lateCredentials() {
        return new McpException(
                Kind.NOT_READ, false, "The secrets of this server were not there in time");
    }

    /** A request that was not sent, since who gives tokens for it did not answer. */
    public static McpException withoutToken() {
        return new McpException(
                Kind.UNREACHABLE,
                false,
                "Server unreachable (its authorization server did not answer)");
    }

    /** Whether the server wants other credentials. */
    boolean refusesCredentials() {
        return kind == Kind.UNAUTHORIZED
                || kind == Kind.FORBIDDEN
                || kind == Kind.AUTHORIZATION_REQUIRED;
    }

    /** Why. */
    public Kind kind() {
        return kind;
    }

    /** Whether the server may well answer the next time. */
    public boolean mayPass() {
        return switch (kind) {
            case TIMEOUT, UNREACHABLE, RATE_LIMITED, HTTP_FAILED, NOT_READ -> true;
            case SERVER_ERROR,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    CRASHED,
                    CLOSED,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER ->
                    false;
        };
    }

    /** Whether the process has ended, or is about to. */
    public boolean isEnd() {
        return kind == Kind.CRASHED || kind == Kind.CLOSED;
    }

    /** The shortest pause before another attempt, null where the server names none. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** The JSON-RPC error that the server answered with, null where it did not. */
    public @Nullable ServerError serverError() {
        return serverError;
    }

    /** Whether the server may have received the request. */
    public boolean sent() {
        return sent;
    }
}
