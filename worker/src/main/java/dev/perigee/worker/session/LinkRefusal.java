package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkError;
import org.jspecify.annotations.Nullable;

/** A request on the link that is answered with an error. The message says what to do next. */
final class LinkRefusal extends Exception {
    private static final long serialVersionUID = 1;

    private final LinkError error;

    LinkRefusal(LinkError error, String message) {
        super(message, null, false, false);
        this.error = error;
    }

    LinkError error() {
        return error;
    }

    /**
     * Of who asks without being attached.
     *
     * @param owner the attached gateway, null when none is
     */
    static LinkRefusal notOwner(LinkPeer peer, @Nullable LinkPeer owner) {
        if (owner == null) {
            return new LinkRefusal(LinkError.INVALID_REQUEST, "not attached: attach first");
        }
        return owner.gatewayId().equals(peer.gatewayId())
                ? new LinkRefusal(
                        LinkError.ALREADY_ATTACHED, "a newer connection of yours is attached")
                : new LinkRefusal(
                        LinkError.FENCED, "another gateway is attached: the partition is its own");
    }
}
