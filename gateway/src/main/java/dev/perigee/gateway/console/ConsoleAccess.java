package dev.perigee.gateway.console;

import dev.perigee.protocol.access.AdminAccess;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * Access control of the console: whoever may see the admin pages, and a browser in which the token
 * was entered. The cookie is bound to this path, is out of reach of scripts and is not sent with
 * requests that another site makes.
 */
final class ConsoleAccess {
    static final String PATH = "/console";

    private final AdminAccess access;
    private final LoginSessions sessions;

    ConsoleAccess(AdminAccess access, LoginSessions sessions) {
        this.access = access;
        this.sessions = sessions;
    }

    /** Why a request is refused, null when it is not. */
    AdminAccess.@Nullable Refusal refusal(Request request) {
        var refusal = access.refusal(request.getHeaders()::get);
        if (refusal == null || !refusal.unauthorized()) {
            return refusal;
        }
        return hasSession(request) ? null : refusal;
    }

    /** Whether this browser has logged in. */
    boolean hasSession(Request request) {
        var secret = secret(request);
        return secret != null && sessions.runs(secret);
    }

    /** Lets a browser in that shows the token; null when it is let in. */
    AdminAccess.@Nullable Refusal login(Request request, Response response, String token) {
        var headers = request.getHeaders();
        var shown = "Bearer " + token;
        var refusal =
                access.refusal(
                        name ->
                                name.equalsIgnoreCase(HttpHeader.AUTHORIZATION.asString())
                                        ? shown
                                        : headers.get(name));
        if (refusal == null) {
            Response.addCookie(
                    response,
                    cookie(request, sessions.begin(), LoginSessions.LIFETIME.toSeconds()));
        }
        return refusal;
    }

    void logout(Request request, Response response) {
        var secret = secret(request);
        if (secret != null) {
            sessions.end(secret);
        }
        Response.addCookie(response, cookie(request, "", 0));
    }

    private static HttpCookie cookie(Request request, String secret, long maxAgeSeconds) {
        return HttpCookie.build(name(request), secret)
                .path(PATH)
                .httpOnly(true)
                .sameSite(HttpCookie.SameSite.STRICT)
                .secure(request.isSecure())
                .maxAge(maxAgeSeconds)
                .build();
    }

    private static @Nullable String secret(Request request) {
        var name = name(request);
        for (var cookie : Request.getCookies(request)) {
            if (cookie.getName().equals(name)) {
                return cookie.getValue();
            }
        }
        return null;
    }

    /** Browsers give cookies to every port of a host, where other gateways may be. */
    private static String name(Request request) {
        return "perigee-console-" + Request.getLocalPort(request);
    }
}
