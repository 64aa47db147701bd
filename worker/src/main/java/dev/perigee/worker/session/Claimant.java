package dev.perigee.worker.session;

/**
 * Holder of a session, present or to be: a gateway's connection, the epoch of its claim, and the
 * number of its attempt to attach.
 */
record Claimant(LinkPeer peer, long epoch, long generation) {

    boolean isSameGateway(LinkPeer other) {
        return peer.gatewayId().equals(other.gatewayId());
    }
}
