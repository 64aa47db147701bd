package dev.perigee.worker.session;

import dev.perigee.protocol.access.BearerToken;
import dev.perigee.protocol.access.ScramClient;
import dev.perigee.protocol.access.ScramServer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mutual authentication of the link by the token: a gateway proves that it has it, then the worker
 * proves the same. Older gateways send the token itself and are accepted, too; the worker proves
 * nothing to them.
 */
final class LinkGate extends Handler.Wrapper {
    private static final Logger log = LoggerFactory.getLogger(LinkGate.class);

    private final @Nullable ScramServer proofs;
    private final BearerToken bearer;
    private final SessionMetrics metrics;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param token null lets everybody through
     */
    LinkGate(@Nullable String token, SessionMetrics metrics, Handler next) {
        super(next);
        this.proofs = token == null ? null : new ScramServer(token);
        this.bearer = new BearerToken(token);
        this.metrics = metrics;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (proofs == null) {
            return super.handle(request, response, callback);
        }
        var authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (bearer.accepts(authorization)) {
            warnOnce();
            return super.handle(request, response, callback);
        }
        return switch (proofs.judge(authorization)) {
            case ScramServer.Verdict.Accepted(var proof) -> {
                response.getHeaders().put(ScramClient.PROOF_HEADER, proof);
                yield super.handle(request, response, callback);
            }
            case ScramServer.Verdict.Challenged(var challenge) ->
                    unauthorized(challenge, request, response, callback);
            case ScramServer.Verdict.Refused(var scheme) -> {
                metrics.unauthorized();
                yield unauthorized(scheme, request, response, callback);
            }
        };
    }

    private static boolean unauthorized(
            String authenticate, Request request, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, authenticate);
        Response.writeError(request, response, callback, HttpStatus.UNAUTHORIZED_401);
        return true;
    }

    private void warnOnce() {
        if (warned.compareAndSet(false, true)) {
            log.atWarn().log("A gateway sends link.token itself: update it, so that it proves it");
        }
    }
}
