package dev.perigee.worker.mcp;

import dev.perigee.worker.mcp.McpException.Kind;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Classifies the end of an HTTP exchange by status, header and exception; by text only where a
 * server refuses its handshake with a JSON-RPC error. {@code docs/adr/0007-http-servers.md} says
 * why. Pure.
 */
final class HttpFailures {
    private static final int QUOTED_CHARACTERS = 200;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_FAULT = 500;
    private static final Pattern AUTHORIZATION =
            Pattern.compile(
                    "\\b(re-?)?auth(orization|entication) (is )?(required|needed)\\b"
                            + "|\\binvalid_(token|grant)\\b"
                            + "|\\b(access|refresh|oauth|bearer|auth) ?token (is |has |was )?"
                            + "(expired|revoked|invalid|missing)\\b"
                            + "|\\boauth\\b.{0,40}\\b(required|expired|failed|error)\\b",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern SESSION =
            Pattern.compile("\\bsession(s|id)?\\b|\\bnot initialized\\b", Pattern.CASE_INSENSITIVE);

    private HttpFailures() {}

    /**
     * What the end of an exchange means for its request, null when it was cancelled.
     *
     * @param stream whether it is the one that all answers come in
     * @param handedOver whether any of the request's body was given to the connection
     */
    static @Nullable McpException of(
            ExchangeEnd end, boolean stream, boolean handedOver, boolean responded) {
        return switch (end) {
            case ExchangeEnd.Completed _ -> stream ? streamEnded() : unanswered();
            case ExchangeEnd.Refused refused -> refused(refused);
            case ExchangeEnd.Redirected(var message) -> failure(Kind.HTTP_REFUSED, message);
            case ExchangeEnd.Foreign foreign -> foreign(foreign);
            case ExchangeEnd.TooLarge tooLarge -> tooLarge(tooLarge);
            case ExchangeEnd.NoRoom _ ->
                    failure(
                            Kind.TOO_LARGE,
                            "The server's answer was dropped: it did not end while others waited for"
                                    + " the memory that it took");
            case ExchangeEnd.NotUnderstood _ -> unanswered();
            case ExchangeEnd.Broken(var cause) -> broken(cause, handedOver || stream, responded);
            case ExchangeEnd.Abandoned _ -> null;
        };
    }

    /** The failure of a request whose deadline passed while there was no connection. */
    static McpException notConnected() {
        return new McpException(
                Kind.UNREACHABLE, false, "Server unreachable (no connection in time)");
    }

    /** The failure of a request whose deadline passed before there was a session. */
    static McpException noSession() {
        return new McpException(
                Kind.TIMEOUT,
                false,
                "Request timeout: there was no session with the server in time");
    }

    /** The failure of a request that the egress policy refused. */
    static McpException egressRefused(String what) {
        return new McpException(Kind.EGRESS_REFUSED, false, "Egress refused to " + what);
    }

    /** Host and port of an address. */
    static String destination(URI address) {
        return address.getPort() < 0
                ? address.getHost()
                : address.getHost() + ":" + address.getPort();
    }

    /** The failure of requests whose answers were to come in a stream that has ended. */
    static McpException streamEnded() {
        return failure(
                Kind.UNREACHABLE, "Server unreachable (it ended the stream that answers come in)");
    }

    /**
     * What a JSON-RPC error to the handshake says; of any other request it is an application's,
     * whatever its words.
     */
    static Kind meaningOfHandshake(String message) {
        return AUTHORIZATION.matcher(message).find()
                ? Kind.AUTHORIZATION_REQUIRED
                : Kind.SERVER_ERROR;
    }

    /** Whether a server that was named a session does not know it, so did nothing. */
    static boolean isSessionLost(ExchangeEnd.Refused end) {
        return !end.challenges()
                && (end.status() == 404
                        || (end.status() == 400 && SESSION.matcher(text(end.body())).find()));
    }

    /** The same of the request of this id: one that a 400 answers was dealt with. */
    static boolean isSessionLost(ExchangeEnd.Refused end, long id) {
        return isSessionLost(end) && (end.status() == 404 || !end.answers(id));
    }

    /** Whether a JSON-RPC error in the response's body is the answer; else its status is. */
    static boolean mayAnswer(ExchangeEnd.Refused end) {
        return !end.wantsAuthorization() && end.status() != TOO_MANY_REQUESTS;
    }

    /** The failure of a request that needs more than its good credentials allow; else null. */
    static @Nullable McpException lacking(ExchangeEnd.Refused end, TargetSource credentials) {
        var what = credentials.lacking(end.status(), end.challenge());
        return what == null
                ? null
                : failure(Kind.REQUEST_REFUSED, "Access forbidden (HTTP 403): " + what);
    }

    static McpException refused(ExchangeEnd.Refused end) {
        int status = end.status();
        var said = text(end.body());
        if (status == 401) {
            return failure(Kind.UNAUTHORIZED, "Authentication failed (HTTP 401)");
        }
        if (status == 403) {
            return failure(Kind.FORBIDDEN, "Access forbidden (HTTP 403)");
        }
        if (end.challenges()) {
            return failure(Kind.UNAUTHORIZED, "Authentication failed (HTTP %d)".formatted(status));
        }
        var kind =
                status >= SERVER_FAULT
                        ? Kind.HTTP_FAILED
                        : status == TOO_MANY_REQUESTS ? Kind.RATE_LIMITED : Kind.REQUEST_REFUSED;
        var pause = end.retryAfter();
        var message = "HTTP " + status + (said.isEmpty() ? "" : ": " + said);
        return new McpException(
                kind,
                true,
                pause == null ? message : message + "; try again in " + RetryAfter.text(pause),
                pause);
    }

    private static McpException foreign(ExchangeEnd.Foreign end) {
        var type = end.contentType().isBlank() ? "no content" : quoted(end.contentType());
        return failure(
                Kind.INVALID_ANSWER,
                "The server's answer is no MCP: HTTP %d with %s".formatted(end.status(), type));
    }

    private static McpException tooLarge(ExchangeEnd.TooLarge end) {
        return failure(
                Kind.TOO_LARGE,
                "The server's answer has more than the %d bytes that may pass"
                        .formatted(end.maxBytes()));
    }

    private static McpException unanswered() {
        return failure(Kind.INVALID_ANSWER, "The server's response has no answer that can be read");
    }

    /**
     * The failure of a request whose response did not come, or not whole.
     *
     * @param handedOver whether any of the request's body was given to the connection
     */
    static McpException broken(Throwable thrown, boolean handedOver, boolean responded) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof McpException ours) {
                return ours;
            }
            var reason = unconnected(cause);
            if (reason != null) {
                return new McpException(
                        Kind.UNREACHABLE, handedOver, "Server unreachable (" + reason + ")");
            }
            if (cause instanceof SSLException && !handedOver) {
                return new McpException(
                        Kind.HTTP_REFUSED,
                        false,
                        "No TLS with the server: " + quoted(String.valueOf(cause.getMessage())));
            }
        }
        var when = responded ? "in the middle of its answer" : "before it answered";
        return new McpException(
                Kind.UNREACHABLE,
                handedOver,
                "Server unreachable (the connection broke off " + when + ")");
    }

    private static @Nullable String unconnected(Throwable cause) {
        return switch (cause) {
            case HttpConnectTimeoutException _ -> "no connection in time";
            case UnresolvedAddressException _ -> "its host is unknown";
            case UnknownHostException _ -> "its host is unknown";
            case NoRouteToHostException _ -> "no route to its host";
            case ConnectException refused ->
                    refused.getCause() instanceof UnresolvedAddressException
                            ? "its host is unknown"
                            : "no connection";
            default -> null;
        };
    }

    private static McpException failure(Kind kind, String message) {
        return new McpException(kind, true, message);
    }

    private static String text(byte[] body) {
        var text = new String(body, StandardCharsets.UTF_8).strip();
        return text.startsWith("<") ? "" : quoted(text);
    }

    private static String quoted(String text) {
        var line = text.replaceAll("\\s+", " ");
        return line.length() <= QUOTED_CHARACTERS
                ? line
                : line.substring(0, QUOTED_CHARACTERS) + '…';
    }
}
