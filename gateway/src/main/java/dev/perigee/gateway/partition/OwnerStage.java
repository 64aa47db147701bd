package dev.perigee.gateway.partition;

/** Stages of a partition's owner, from its claim to the end of its tenure. */
enum OwnerStage {
    CLAIMING(OwnerState.RESTORING, "claims the partition, and reads its state"),
    PAUSED(OwnerState.RESTORING, "has lost its session, and waits before it claims again"),
    FREEING(OwnerState.RESTORING, "records that no worker has the partition"),
    PLACING(OwnerState.PLACING, "has a claim, and waits for a worker that may have the partition"),
    RECORDING(OwnerState.PLACING, "records the worker that is chosen"),
    UNOPENED(OwnerState.ATTACHING, "could not open a session, and waits before it claims again"),
    ATTACHING(OwnerState.ATTACHING, "has opened a session that the worker has not attached yet"),
    RECONCILING(OwnerState.ATTACHING, "gives the attached session the instances that it lacks"),
    SERVING(OwnerState.SERVING, "serves: orders and calls go to the session"),
    LEAVING(OwnerState.MOVING, "waits for the worker to end the session"),
    ENDED(OwnerState.ENDED, "has no tenure any more");

    private final OwnerState shown;
    private final String meaning;

    OwnerStage(OwnerState shown, String meaning) {
        this.shown = shown;
        this.meaning = meaning;
    }

    /** As metrics and readiness have it. */
    OwnerState shown() {
        return shown;
    }

    /** For people: completes "the owner ...". */
    String meaning() {
        return meaning;
    }
}
