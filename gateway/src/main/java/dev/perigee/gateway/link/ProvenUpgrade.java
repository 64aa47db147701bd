package dev.perigee.gateway.link;

import dev.perigee.protocol.access.ScramClient;
import java.net.URI;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.client.CoreClientUpgradeRequest;
import org.eclipse.jetty.websocket.core.client.WebSocketCoreClient;
import org.jspecify.annotations.Nullable;

/**
 * Upgrades to a WebSocket. Where both sides have a token it is opened only when the worker's answer
 * proves that: before, no frame is sent and none is read.
 */
final class ProvenUpgrade extends CoreClientUpgradeRequest {
    private final FrameHandler frames;
    private final LinkLogin.@Nullable Shown shown;

    /** The worker's answer proves nothing. Unchecked, since Jetty's method declares nothing. */
    static final class UnprovenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnprovenException() {
            super("the worker proves nothing", null, false, false);
        }
    }

    ProvenUpgrade(
            WebSocketCoreClient client,
            URI link,
            FrameHandler frames,
            LinkLogin.@Nullable Shown shown) {
        super(client, link);
        this.frames = frames;
        this.shown = shown;
        if (shown != null) {
            headers(headers -> headers.put(HttpHeader.AUTHORIZATION, shown.authorization()));
        }
    }

    @Override
    public FrameHandler getFrameHandler() {
        return frames;
    }

    @Override
    public void upgrade(Response response, EndPoint endPoint) {
        if (shown != null
                && !shown.login().proves(response.getHeaders().get(ScramClient.PROOF_HEADER))) {
            throw new UnprovenException();
        }
        super.upgrade(response, endPoint);
    }
}
