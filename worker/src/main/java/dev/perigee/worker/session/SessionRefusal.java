package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkError;

/** Refusals of a session. */
enum SessionRefusal {
    WORKER_LEAVES(
            LinkError.DRAINING,
            "the worker is leaving and has nothing of the partition: place it elsewhere"),
    HOLD_OVER(
            LinkError.SESSION_EXPIRED,
            "the lease or the connection is over and the partition maybe another's: claim it"
                    + " again"),
    STALE(LinkError.FENCED, "epoch %1$d was here: the partition is not yours any more"),
    NO_SESSION(LinkError.SESSION_EXPIRED, "no session: create one with a fresh claim"),
    CLAIM_USED(
            LinkError.SESSION_EXPIRED,
            "the session of epoch %2$d is over: claim the partition again"),
    CLAIM_OF_ANOTHER(LinkError.FENCED, "epoch %2$d is another gateway's claim: claim again"),
    NOT_NEWER(LinkError.ALREADY_ATTACHED, "generation %3$d is attached: retry until it detaches"),
    NOT_ATTACHED(LinkError.INVALID_REQUEST, "not attached: attach first"),
    NEWER_CONNECTION(LinkError.ALREADY_ATTACHED, "a newer connection of yours is attached"),
    ANOTHER_ATTACHED(LinkError.FENCED, "another gateway is attached: the partition is its own"),
    LEAVING(LinkError.DRAINING, "the session ends: it goes on where the partition goes");

    private final LinkError error;
    private final String text;

    SessionRefusal(LinkError error, String text) {
        this.error = error;
        this.text = text;
    }

    LinkError error() {
        return error;
    }

    /** As it is answered on the link, in a given state. */
    LinkRefusal in(SessionState state) {
        var epochs = state.epochs();
        var holder = state.holder();
        long generation = holder == null ? 0 : holder.generation();
        return new LinkRefusal(error, text.formatted(epochs.seen(), epochs.held(), generation));
    }
}
