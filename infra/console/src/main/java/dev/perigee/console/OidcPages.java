package dev.perigee.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.limit.TokenBucket;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /console/oidc}: sends a browser to the provider, and takes it back. It goes on to the
 * console and nowhere else, whatever the request says. On a virtual thread of each request.
 */
final class OidcPages {
    /** The end of every redirect URL. */
    static final String CALLBACK = ConsoleAccess.PATH + "/oidc/callback";

    private static final Logger LOG = LoggerFactory.getLogger(OidcPages.class);
    private static final String PATH = ConsoleAccess.PATH + "/oidc";
    private static final int LONGEST = 4_096;

    /** How often browsers may come back; who is told to wait has lost nothing. */
    private static final RateLimit BACKS = new RateLimit(10, 30);

    /** How often the log says that nobody can log in, which anybody can bring about. */
    private static final RateLimit WARNINGS = new RateLimit(1.0 / 60, 1);

    private final OidcClient client;
    private final OidcProvider provider;
    private final LoginTickets tickets;
    private final ConsoleAccess access;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final TokenBucket backs;
    private final TokenBucket warnings;

    OidcPages(
            OidcClient client,
            OidcProvider provider,
            LoginTickets tickets,
            ConsoleAccess access,
            InstantSource clock) {
        this.client = client;
        this.provider = provider;
        this.tickets = tickets;
        this.access = access;
        this.clock = clock;
        this.backs = new TokenBucket(BACKS, clock.instant());
        this.warnings = new TokenBucket(WARNINGS, clock.instant());
    }

    /** Whether it answers this path. */
    static boolean answers(String path) {
        return path.equals(CALLBACK) || path.equals(PATH + "/login");
    }

    void answer(String path, Request request, Response response, Callback callback)
            throws InterruptedException {
        try {
            if (!HttpMethod.GET.is(request.getMethod())) {
                response.getHeaders().put(HttpHeader.ALLOW, "GET");
                throw new LoginRefusedException(
                        HttpStatus.METHOD_NOT_ALLOWED_405, "Only GET is answered here.");
            }
            if (path.equals(CALLBACK)) {
                takeBack(request, response);
                leave(response, "../", callback);
            } else {
                leave(response, send(request, response), callback);
            }
        } catch (LoginRefusedException e) {
            // Anybody can be refused for what he brings, as often as he likes.
            boolean warns = e.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500 && take(warnings);
            (warns ? LOG.atWarn() : LOG.atDebug())
                    .addKeyValue("reason", plain(e.reason()))
                    .log("A login to the console by the OpenID provider did not come about");
            refuse(response, e, callback);
        }
    }

    private boolean take(TokenBucket bucket) {
        lock.lock();
        try {
            return bucket.take(clock.instant());
        } finally {
            lock.unlock();
        }
    }

    private String send(Request request, Response response)
            throws LoginRefusedException, InterruptedException {
        var ticket = tickets.begin();
        var attempt = tickets.attempt(ticket);
        if (attempt == null) {
            throw new IllegalStateException("a new ticket is one");
        }
        var page = provider.loginPage(attempt).toString();
        keep(request, response, ticket, LoginTickets.LIFETIME.toSeconds());
        return page;
    }

    private void takeBack(Request request, Response response)
            throws LoginRefusedException, InterruptedException {
        var ticket = ConsoleAccess.cookie(request, name(request));
        var attempt = ticket == null ? null : tickets.attempt(ticket);
        var query = Request.extractQueryParameters(request);
        if (ticket == null || attempt == null || !attempt.hasState(query.getValue("state"))) {
            throw new LoginRefusedException(
                    HttpStatus.BAD_REQUEST_400,
                    "This login was not begun in this browser, or more than ten minutes ago.");
        }
        var issuer = query.getValue("iss");
        if (issuer != null && !issuer.equals(client.issuer())) {
            throw new LoginRefusedException(
                    HttpStatus.BAD_REQUEST_400, "Another provider sent you back.");
        }
        var error = query.getValue("error");
        if (error != null) {
            throw new LoginRefusedException(
                    HttpStatus.FORBIDDEN_403, "The OpenID provider refuses: " + plain(error));
        }
        var code = query.getValue("code");
        if (code == null || code.isEmpty() || code.length() > LONGEST) {
            throw new LoginRefusedException(
                    HttpStatus.BAD_REQUEST_400, "The OpenID provider sent no code.");
        }
        if (tickets.isTaken(ticket)) {
            throw takenBefore();
        }
        if (!take(backs)) {
            throw new LoginRefusedException(
                    HttpStatus.TOO_MANY_REQUESTS_429,
                    "Many log in: load this page again in some seconds.");
        }
        var person =
                provider.inTurn(
                        () -> {
                            keep(request, response, "", 0);
                            if (!tickets.take(ticket)) {
                                throw takenBefore();
                            }
                            return provider.person(code, attempt);
                        });
        access.letIn(request, response, person, client.isSecure());
        LOG.atInfo()
                .addKeyValue("actor", person.name())
                .addKeyValue("role", person.role().wireName())
                .log("Logged in to the console by the OpenID provider");
    }

    private static LoginRefusedException takenBefore() {
        return new LoginRefusedException(
                HttpStatus.BAD_REQUEST_400, "This login was taken back before.");
    }

    /** Sent with the way back from the provider, which is a link from another site. */
    private void keep(Request request, Response response, String ticket, long maxAgeSeconds) {
        Response.addCookie(
                response,
                HttpCookie.build(name(request), ticket)
                        .path(PATH)
                        .httpOnly(true)
                        .sameSite(HttpCookie.SameSite.LAX)
                        .secure(request.isSecure() || client.isSecure())
                        .maxAge(maxAgeSeconds)
                        .build());
    }

    private static String name(Request request) {
        return "perigee-oidc-" + Request.getLocalPort(request);
    }

    private static void leave(Response response, String to, Callback callback) {
        response.setStatus(HttpStatus.FOUND_302);
        response.getHeaders().put(HttpHeader.LOCATION, to);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.allocate(0), callback);
    }

    private static void refuse(Response response, LoginRefusedException why, Callback callback) {
        var page =
                """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>Not logged in · Perigee</title>
                <link rel="stylesheet" href="../style.css">
                <main class="login">
                <h1>You are not logged in</h1>
                <p class="error" role="alert">%s</p>
                <p><a href="login">Try again</a></p>
                <p><a href="../">Log in with a token</a></p>
                </main>
                </html>
                """
                        .formatted(escaped(plain(why.reason())));
        response.setStatus(why.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/html;charset=utf-8");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.wrap(page.getBytes(UTF_8)), callback);
    }

    /** Without what reorders its neighbours or cannot be seen. */
    private static String plain(String text) {
        return Text.cut(text, Text.LINE / 4).replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
