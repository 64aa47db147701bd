package dev.perigee.console;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.UnreadRequest;
import dev.perigee.protocol.audit.ActionRole;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Answers what is below {@code /console}, on a virtual thread of each request. The page's files are
 * for everybody, what they show is for those whom {@link ConsoleAccess} lets.
 */
final class ConsoleHandler extends Handler.Abstract {
    private static final String API = ConsoleAccess.PATH + "/api/";
    private static final String JSON = "application/json";
    private static final int MAX_LOGIN_BYTES = 8_192;

    /** How long a single answer waits for the topics to be read. */
    private static final Duration CATCH_UP = Duration.ofSeconds(10);

    private static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'; require-trusted-types-for 'script'";

    private final String gatewayId;
    private final ConsoleAccess access;
    private final FleetWatch watch;
    private final ActionPages actions;
    private final CallFinder calls;
    private final Letters letters;
    private final @Nullable OidcPages oidc;
    private final Duration silence;
    private final StaticFiles files = new StaticFiles();

    /**
     * A handler.
     *
     * @param oidc null where no provider is configured
     * @param silence after which a stream says that it lives
     */
    ConsoleHandler(
            String gatewayId,
            ConsoleAccess access,
            FleetWatch watch,
            ActionPages actions,
            CallFinder calls,
            Letters letters,
            @Nullable OidcPages oidc,
            Duration silence) {
        this.gatewayId = gatewayId;
        this.access = access;
        this.watch = watch;
        this.actions = actions;
        this.calls = calls;
        this.letters = letters;
        this.oidc = oidc;
        this.silence = silence;
    }

    private record Problem(String error) {}

    private record Who(
            String gatewayId, boolean loggedIn, String name, ActionRole role, boolean hasTokens) {}

    private record Logins(boolean oidc) {}

    private record Login(@Nullable String token) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        var path = Request.getPathInContext(request);
        if (!path.equals(ConsoleAccess.PATH) && !path.startsWith(ConsoleAccess.PATH + "/")) {
            return false;
        }
        guard(response);
        if (path.equals(ConsoleAccess.PATH)) {
            // Relative, so that it holds behind a proxy too.
            response.getHeaders().put(HttpHeader.LOCATION, "console/");
            send(response, callback, HttpStatus.FOUND_302, "text/plain", new byte[0]);
        } else if (path.startsWith(API)) {
            api(path.substring(API.length()), request, response, callback);
        } else if (oidc != null && OidcPages.answers(path)) {
            oidc.answer(path, request, response, callback);
        } else {
            file(path.substring(ConsoleAccess.PATH.length()), request, response, callback);
        }
        return true;
    }

    private static void guard(Response response) {
        var headers = response.getHeaders();
        headers.put("Content-Security-Policy", CONTENT_POLICY);
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Cross-Origin-Opener-Policy", "same-origin");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
    }

    private void file(String path, Request request, Response response, Callback callback) {
        var file = files.find(path);
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            notAllowed(response, callback, "GET, HEAD");
        } else if (file == null) {
            problem(response, callback, HttpStatus.NOT_FOUND_404, "not found");
        } else {
            send(response, callback, HttpStatus.OK_200, file.type(), file.content());
        }
    }

    private void api(String path, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        if (path.equals("login") && HttpMethod.GET.is(request.getMethod())) {
            json(response, callback, new Logins(oidc != null));
            return;
        }
        if (path.equals("login") || path.equals("logout")) {
            if (!HttpMethod.POST.is(request.getMethod())) {
                notAllowed(response, callback, path.equals("login") ? "GET, POST" : "POST");
            } else if (ConsoleAccess.isOfAnotherOrigin(request)) {
                problem(response, callback, HttpStatus.FORBIDDEN_403, "a page of elsewhere asks");
            } else if (path.equals("login")) {
                login(request, response, callback);
            } else {
                access.logout(request, response);
                send(response, callback, HttpStatus.NO_CONTENT_204, JSON, new byte[0]);
            }
            return;
        }
        switch (access.entry(request)) {
            case ConsoleAccess.Entry.Refused(var refusal) -> refuse(response, callback, refusal);
            case ConsoleAccess.Entry.Let(var person) ->
                    api(path, person, request, response, callback);
        }
    }

    private void api(
            String path, Person person, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        if (path.equals("actions")) {
            act(person, request, response, callback);
        } else if (!HttpMethod.GET.is(request.getMethod())) {
            notAllowed(response, callback, "GET");
        } else if (path.equals("session")) {
            json(
                    response,
                    callback,
                    new Who(
                            gatewayId,
                            access.hasSession(request),
                            person.name(),
                            person.role(),
                            access.hasTokens() || oidc != null));
        } else if (path.equals("call")) {
            call(request, response, callback);
        } else if (path.equals("letters")) {
            letters(response, callback);
        } else {
            show(path, request, response, callback);
        }
    }

    private void act(Person person, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        var id = Request.extractQueryParameters(request).getValue("id");
        boolean stops = HttpMethod.DELETE.is(request.getMethod());
        if (HttpMethod.GET.is(request.getMethod())) {
            answer(response, callback, actions.progress(person, id));
        } else if (!stops && !HttpMethod.POST.is(request.getMethod())) {
            notAllowed(response, callback, "GET, POST, DELETE");
        } else if (ConsoleAccess.isFromElsewhere(request)) {
            problem(
                    response,
                    callback,
                    HttpStatus.FORBIDDEN_403,
                    "a page of elsewhere asks: actions come from the console's own page, as"
                            + " application/json with the header "
                            + ConsoleAccess.MARK
                            + ", or with a token in the header Authorization and from no page");
        } else {
            answer(
                    response,
                    callback,
                    stops ? actions.stop(person, id) : actions.begin(person, request));
        }
    }

    private static void answer(Response response, Callback callback, ActionPages.Answer answer) {
        send(response, callback, answer.status(), JSON, ActionPages.json(answer));
    }

    private void call(Request request, Response response, Callback callback) {
        var id = Request.extractQueryParameters(request).getValue("id");
        if (id == null || id.isEmpty() || id.length() > Text.NAME) {
            problem(response, callback, HttpStatus.BAD_REQUEST_400, "call?id= a request or trace");
            return;
        }
        var found = calls.find(id);
        if (found == null) {
            problem(
                    response,
                    callback,
                    HttpStatus.SERVICE_UNAVAILABLE_503,
                    "Somebody else looks for a call: try again in some seconds.");
        } else {
            json(response, callback, found);
        }
    }

    private void letters(Response response, Callback callback) throws InterruptedException {
        try {
            json(response, callback, letters.newest());
        } catch (ActionRefusedException e) {
            problem(response, callback, e.status(), e.reason());
        }
    }

    private void show(String path, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        try (var viewing = watch.open()) {
            if (viewing == null) {
                problem(
                        response,
                        callback,
                        HttpStatus.SERVICE_UNAVAILABLE_503,
                        "as many as console.max-viewers are watching");
                return;
            }
            var board = viewing.board();
            if (path.equals("stream")) {
                stream(board, request, response, callback);
            } else if (path.equals("fleet")) {
                json(response, callback, now(board, null).fleet());
            } else if (path.equals("instances")) {
                json(response, callback, now(board, null).instances());
            } else if (path.equals("instance")) {
                var id = Request.extractQueryParameters(request).getValue("id");
                json(response, callback, now(board, id == null ? "" : id).detail());
            } else {
                problem(
                        response,
                        callback,
                        HttpStatus.NOT_FOUND_404,
                        "not found; there are session, fleet, instances, instance?id=,"
                                + " call?id=, letters, actions, stream");
            }
        }
    }

    /** Everything, once the topics are read, or as far as they are read in time. */
    private static Update now(Board board, @Nullable String instance) throws InterruptedException {
        board.awaitCaughtUp(CATCH_UP);
        return board.await(Cursor.NONE, instance, 0, Duration.ZERO);
    }

    private void stream(Board board, Request request, Response response, Callback callback)
            throws InterruptedException {
        var parameters = Request.extractQueryParameters(request);
        var again = request.getHeaders().get("Last-Event-ID");
        var known = Cursor.parse(again == null ? parameters.getValue("since") : again);
        var headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Accel-Buffering", "no");
        response.setStatus(HttpStatus.OK_200);
        try (var out = Content.Sink.asOutputStream(response)) {
            new EventStream(board, parameters.getValue("instance"), silence)
                    .tell(known, again == null ? 0 : known.version(), out);
        } catch (IOException e) {
            callback.failed(e);
            return;
        }
        callback.succeeded();
    }

    private void login(Request request, Response response, Callback callback) throws IOException {
        AdminAccess.Refusal refusal;
        try (var body = Content.Source.asInputStream(request)) {
            var bytes = body.readNBytes(MAX_LOGIN_BYTES);
            var token = Json.read(bytes, Login.class).token();
            refusal = access.login(request, response, token == null ? "" : token);
        } catch (InvalidRecordException e) {
            problem(response, callback, HttpStatus.BAD_REQUEST_400, "not {\"token\": …}");
            return;
        }
        if (refusal == null) {
            send(response, callback, HttpStatus.NO_CONTENT_204, JSON, new byte[0]);
        } else {
            refuse(response, callback, refusal);
        }
    }

    private static void refuse(Response response, Callback callback, AdminAccess.Refusal refusal) {
        problem(response, callback, refusal.status(), refusal.reason());
    }

    private static void notAllowed(Response response, Callback callback, String allowed) {
        response.getHeaders().put(HttpHeader.ALLOW, allowed);
        problem(
                response,
                callback,
                HttpStatus.METHOD_NOT_ALLOWED_405,
                "only " + allowed + " is answered here");
    }

    private static void problem(Response response, Callback callback, int status, String error) {
        send(response, callback, status, JSON, Json.write(new Problem(error)));
    }

    private static void json(Response response, Callback callback, @Nullable Object value) {
        var body = value == null ? Json.write(Map.of()) : Json.write(value);
        send(response, callback, HttpStatus.OK_200, JSON, body);
    }

    private static void send(
            Response response, Callback callback, int status, String type, byte[] content) {
        UnreadRequest.announceClose(response);
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.wrap(content), callback);
    }
}
