package dev.perigee.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.access.UnreadRequest;
import dev.perigee.protocol.json.Json;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.ByteBuffer;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers the few paths of the admin server; on its HTTP threads. */
final class AdminHandler extends Handler.Abstract {
    private static final String JSON = "application/json";
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final AdminAccess access;
    private final Readiness readiness;
    private final PrometheusMeterRegistry registry;
    private volatile boolean wasReady;

    AdminHandler(AdminAccess access, Readiness readiness, PrometheusMeterRegistry registry) {
        this.access = access;
        this.readiness = readiness;
        this.registry = registry;
    }

    /** The body of both health pages. */
    private record Health(String status, List<Readiness.Obstacle> obstacles) {}

    /** The body of an error. */
    private record Problem(String error) {}

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            var problem = new Problem("only GET and HEAD are answered here");
            write(response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, JSON, Json.write(problem));
            return true;
        }
        switch (Request.getPathInContext(request)) {
            case "/health/live" -> {
                var live = Json.write(new Health("live", List.of()));
                write(response, callback, HttpStatus.OK_200, JSON, live);
            }
            case "/health/ready" -> ready(response, callback);
            case "/metrics" -> {
                var refusal = access.metricsRefusal(request.getHeaders()::get);
                if (refusal == null) {
                    var scraped = registry.scrape().getBytes(UTF_8);
                    write(response, callback, HttpStatus.OK_200, PROMETHEUS_TEXT, scraped);
                } else {
                    refuse(response, callback, refusal);
                }
            }
            default -> {
                var refusal = access.refusal(request.getHeaders()::get);
                if (refusal == null) {
                    var problem =
                            new Problem(
                                    "not found; there are /health/live, /health/ready, /metrics");
                    write(response, callback, HttpStatus.NOT_FOUND_404, JSON, Json.write(problem));
                } else {
                    refuse(response, callback, refusal);
                }
            }
        }
        return true;
    }

    private void ready(Response response, Callback callback) {
        var obstacles = readiness.obstacles();
        var isReady = obstacles.isEmpty();
        if (isReady) {
            wasReady = true;
        }
        var otherwise = wasReady ? "degraded" : "not_ready";
        write(
                response,
                callback,
                isReady ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503,
                JSON,
                Json.write(new Health(isReady ? "ready" : otherwise, obstacles)));
    }

    private static void refuse(Response response, Callback callback, AdminAccess.Refusal refusal) {
        if (refusal.unauthorized()) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        var problem = new Problem(refusal.reason());
        write(response, callback, refusal.status(), JSON, Json.write(problem));
    }

    private static void write(
            Response response, Callback callback, int status, String contentType, byte[] body) {
        UnreadRequest.announceClose(response);
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        response.write(true, ByteBuffer.wrap(body), callback);
    }
}
