package dev.perigee.worker.session;

/** Who attaches: one connection of one gateway, with its claim and the number of the attempt. */
record Claimant(LinkPeer peer, long epoch, long generation) {

    boolean isSameGateway(LinkPeer other) {
        return peer.gatewayId().equals(other.gatewayId());
    }
}
