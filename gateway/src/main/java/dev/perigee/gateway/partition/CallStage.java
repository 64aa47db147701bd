package dev.perigee.gateway.partition;

/** Stages of a request between its record and its one answer. */
enum CallStage {
    ARRIVED("read, and nothing is decided yet"),
    LOOKING("waits for the commands before it, one of which may install its server"),
    QUEUED("waits for its user's turn, or for a session that takes requests"),
    SENDING("sent to the worker, which has not accepted it yet"),
    ACCEPTED("accepted by the worker: its result comes through the journal"),
    UNSURE("may be in a session that is not attached; the next attach decides"),
    ENDED("has its answer");

    private final String meaning;

    CallStage(String meaning) {
        this.meaning = meaning;
    }

    /** For people: completes "the request ...". */
    String meaning() {
        return meaning;
    }

    /** True while a worker has the request, or may. */
    boolean mayBeAtWorker() {
        return this == SENDING || this == ACCEPTED || this == UNSURE;
    }

    /** True when a request was neither sent nor answered. */
    boolean isWaiting() {
        return this == LOOKING || this == QUEUED;
    }
}
