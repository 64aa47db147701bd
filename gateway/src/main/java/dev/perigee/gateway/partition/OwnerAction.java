package dev.perigee.gateway.partition;

/** Outputs of an owner's state machine: data, carried out by {@link SessionKeeper}. */
enum OwnerAction {
    CLAIM("claims"),
    STALL("waits 2 s, and so does all that arrives"),
    STALL_LONG("waits 30 s, and so does all that arrives"),
    CHOOSE("chooses a worker"),
    AWAIT_WORKER("looks again when a worker changes, or in a while"),
    WRITE_HOST("records the worker"),
    OPEN("opens a session with its claim"),
    PAUSE("waits 200 ms, after each further end twice as long, up to 2 s"),
    PAUSE_LONG("waits 2 s"),
    ADOPT("notes what the session has, of calls and processes"),
    RECONCILE("sends the instances that it lacks"),
    SERVE("lets orders and calls through"),
    GO_ON("asks the worker again to end it"),
    SUSPEND("stops trials of quarantined servers"),
    COUNT("counts the worker's death, if it is one, against what ran"),
    TELL_LOST("says that its instances are not online"),
    END("drops the session"),
    CALLS_AWAY("keeps calls until the next attach"),
    CALLS_GONE("queues calls again or answers them"),
    WRITE_NO_HOST("records that no worker has the partition"),
    CLOSE("sends nothing more"),
    ACKNOWLEDGE("acknowledges what is published"),
    DETACH("detaches"),
    ABANDON("lets the worker keep the session");

    private final String meaning;

    OwnerAction(String meaning) {
        this.meaning = meaning;
    }

    /** For people: completes "the owner ...". */
    String meaning() {
        return meaning;
    }
}
