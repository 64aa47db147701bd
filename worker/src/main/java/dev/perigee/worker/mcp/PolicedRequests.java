package dev.perigee.worker.mcp;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.worker.process.Tenant;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Small requests beside MCP on the worker's connections, held to the egress policy as those to
 * servers are. No redirect is followed. Blocks; safe for use by any thread.
 */
public final class PolicedRequests {
    private static final int MOST_BYTES = 256 * 1024;
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final HttpConnections connections;
    private final Tenant owner;
    private final @Nullable List<EgressRule> only;

    /**
     * Response with its whole body.
     *
     * @param body 256 KiB at most
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Answer(int status, byte[] body) {}

    /**
     * @param owner whose share lookups count to
     * @param only what requests are narrowed to, null when they are not
     */
    public PolicedRequests(
            HttpConnections connections, Tenant owner, @Nullable List<EgressRule> only) {
        this.connections = connections;
        this.owner = owner;
        this.only = only;
    }

    /**
     * Sends a request; the whole answer has 20 seconds.
     *
     * @throws McpException when the policy refuses it, or there is no whole answer in time
     */
    public Answer send(HttpRequest request) throws McpException, InterruptedException {
        var address = request.uri();
        var guard = connections.guards().guard(address, owner, only);
        if (guard.refusesLiteral(address.getHost())) {
            throw refused(request, guard.refusal());
        }
        var bounded =
                HttpResponse.BodyHandlers.limiting(
                        HttpResponse.BodyHandlers.ofByteArray(), MOST_BYTES);
        var response = guard.within(() -> connections.client().sendAsync(request, bounded));
        boolean whole = false;
        try {
            var answer = response.get(LONGEST.toNanos(), TimeUnit.NANOSECONDS);
            whole = true;
            return new Answer(answer.statusCode(), answer.body());
        } catch (ExecutionException e) {
            if (guard.refusal() != null) {
                throw refused(request, guard.refusal());
            }
            throw HttpFailures.broken(e, true, false);
        } catch (TimeoutException e) {
            throw HttpFailures.notConnected();
        } finally {
            if (!whole) {
                close(response);
            }
        }
    }

    /** Also of one that failed, which the JDK may leave open, and which is not cancelled itself. */
    private static void close(CompletableFuture<?> response) {
        response.newIncompleteFuture().cancel(true);
        response.cancel(true);
    }

    private McpException refused(HttpRequest request, @Nullable String why) {
        connections.guards().count();
        return HttpFailures.egressRefused(HttpFailures.destination(request.uri()) + ": " + why);
    }
}
