package dev.perigee.gateway.partition;

/** Where a request is between its record and its one answer. */
enum CallStage {
    ARRIVED("read, and nothing decided yet"),
    LOOKING("its server is looked for"),
    QUEUED("waits for its user's turn, or for a session"),
    SENDING("on its way to the worker, which has not said yet whether it took it"),
    ACCEPTED("the worker's, which tells its result"),
    UNSURE("a session that is not attached may have it; the next attach tells"),
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
