package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;

/** Inputs of an owner's state machine. Each failure of a session is one of the same name. */
enum OwnerEvent {
    CLAIMED("its claim is durable, and the state up to it is read"),
    FAILED("it cannot claim or read the state, or fails directly after that"),
    UNREADABLE("the state is there and cannot be read"),
    DUE("the pause is over"),
    LOOK("a worker came, went or changed, or its time to look again has come"),
    NO_WORKER("no worker may have the partition yet"),
    HOST_GIVEN_UP("no worker may have it yet, and the link to the recorded one is given up"),
    NOT_THERE("the chosen worker is gone, given up or another process by now"),
    HOST_CHOSEN("the recorded process of a worker is chosen"),
    OTHER_CHOSEN("another process of a worker is chosen"),
    RECORDED("the record is durable"),
    NOT_OPENED("the link has a session of this or a newer claim"),
    ATTACHED("the worker attaches the session, for the first time or again"),
    ATTACHED_ENDING("the worker attaches the session, and is ending it"),
    RECONCILED("all that the session lacks is sent"),
    UNRECONCILED("the session ends before all is sent"),
    SUSPENDED("the connection is gone, and the link recovers"),
    FENCED("the worker has a higher epoch"),
    ENDED("the worker ended the session and its processes"),
    DRAINING("the worker leaves, and has nothing of the partition"),
    EXPIRED("the worker no longer has the session"),
    INCARNATION_CHANGED("the worker is another process by now"),
    DEAD("the worker's process is dead"),
    UNREACHABLE("the link to the worker is given up"),
    REFUSED("the worker refuses the session for good"),
    RELEASED("the tenure ends"),
    SILENCED("the tenure ends, as the group is not heard or has thrown the gateway out");

    private final String meaning;

    OwnerEvent(String meaning) {
        this.meaning = meaning;
    }

    static OwnerEvent of(LinkFailure failure) {
        return valueOf(failure.name());
    }

    /** For people. */
    String meaning() {
        return meaning;
    }
}
