package dev.perigee.console;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.audit.ActionRole;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * Access control of the console: whoever may see the admin pages, whoever has a token of the
 * console, and a browser in which a token was entered. The cookie is bound to this path, is out of
 * reach of scripts and is not sent with requests that another site makes.
 */
final class ConsoleAccess {
    static final String PATH = "/console";

    /** Header that the page sends with actions; a form of another site cannot. */
    static final String MARK = "X-Perigee-Console";

    private static final String SITE = "Sec-Fetch-Site";

    private final AdminAccess access;
    private final LoginSessions sessions;
    private final ConsoleTokens tokens;
    private final ActionRole role;
    private final boolean provider;

    /**
     * @param role of those who are let in by the {@code admin.token}, or without one
     * @param provider whether an OpenID provider says who comes: then nobody is let in without
     *     showing anything, since browsers may come through a proxy on this machine
     */
    ConsoleAccess(
            AdminAccess access,
            LoginSessions sessions,
            ConsoleTokens tokens,
            ActionRole role,
            boolean provider) {
        this.access = access;
        this.sessions = sessions;
        this.tokens = tokens;
        this.role = role;
        this.provider = provider;
    }

    /** Who asks, or why nobody is let in. */
    sealed interface Entry {
        /** Somebody is let in. */
        record Let(Person person) implements Entry {}

        /** Nobody is. */
        record Refused(AdminAccess.Refusal refusal) implements Entry {}
    }

    Entry entry(Request request) {
        var headers = request.getHeaders();
        var person = tokens.person(headers.get(HttpHeader.AUTHORIZATION));
        if (person == null) {
            person = session(request);
        }
        if (person != null) {
            return new Entry.Let(person);
        }
        if (provider && !access.hasToken()) {
            return new Entry.Refused(
                    new AdminAccess.Refusal(true, "log in by OpenID Connect, or with a token"));
        }
        var refusal = access.refusal(headers::get);
        return refusal == null ? new Entry.Let(usual()) : new Entry.Refused(refusal);
    }

    private Person usual() {
        return new Person(access.hasToken() ? "admin.token" : "local", role);
    }

    /** Whether this browser has logged in. */
    boolean hasSession(Request request) {
        return session(request) != null;
    }

    /** Whether there are tokens of people with roles. */
    boolean hasTokens() {
        return !tokens.isEmpty();
    }

    private @Nullable Person session(Request request) {
        var secret = secret(request);
        return secret == null ? null : sessions.person(secret);
    }

    /**
     * Whether a request that changes something may come from a page of elsewhere in the browser of
     * somebody who is logged in. Other ports of this host are no other site to a browser, which
     * sends them the cookie; the origin tells them apart.
     */
    static boolean isFromElsewhere(Request request) {
        var headers = request.getHeaders();
        if (headers.get(SITE) == null && headers.get(HttpHeader.ORIGIN) == null) {
            // No page: browsers send one of the two. A program shows a token of its own.
            return headers.get(HttpHeader.AUTHORIZATION) == null;
        }
        var type = headers.get(HttpHeader.CONTENT_TYPE);
        if (headers.get(MARK) == null || type == null || !type.startsWith("application/json")) {
            return true;
        }
        return isOfAnotherOrigin(request);
    }

    /** Whether a page of another origin asks; a program tells no origin. */
    static boolean isOfAnotherOrigin(Request request) {
        var headers = request.getHeaders();
        var site = headers.get(SITE);
        if (site != null) {
            return !site.equals("same-origin");
        }
        var origin = headers.get(HttpHeader.ORIGIN);
        var host = headers.get(HttpHeader.HOST);
        return origin != null
                && !(origin.equals("http://" + host) || origin.equals("https://" + host));
    }

    /** Lets a browser in that shows a token; null when it is let in. */
    AdminAccess.@Nullable Refusal login(Request request, Response response, String token) {
        var headers = request.getHeaders();
        var shown = "Bearer " + token;
        var person = tokens.person(shown);
        if (person == null) {
            var refusal =
                    access.refusal(
                            name ->
                                    name.equalsIgnoreCase(HttpHeader.AUTHORIZATION.asString())
                                            ? shown
                                            : headers.get(name));
            if (refusal != null) {
                return refusal;
            }
            if ((hasTokens() || provider) && !access.hasToken()) {
                return new AdminAccess.Refusal(true, "none of console.tokens");
            }
            person = usual();
        }
        Response.addCookie(
                response,
                cookie(request, sessions.begin(person), LoginSessions.LIFETIME.toSeconds()));
        return null;
    }

    /** Begins a session for who was made sure of elsewhere. */
    void letIn(Request request, Response response, Person person, boolean secure) {
        var secret = sessions.begin(person);
        Response.addCookie(
                response,
                HttpCookie.build(cookie(request, secret, LoginSessions.LIFETIME.toSeconds()))
                        .secure(secure || request.isSecure())
                        .build());
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
        return cookie(request, name(request));
    }

    /** A cookie that the browser holds, null where it holds none of this name. */
    static @Nullable String cookie(Request request, String name) {
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
