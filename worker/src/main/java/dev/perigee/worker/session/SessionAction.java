package dev.perigee.worker.session;

/** Actions on a session; data, carried out by {@link PartitionSlot}. */
enum SessionAction {
    CREATE("creates the session"),
    RESUME("goes on, and replays what is not acknowledged"),
    TELL_FENCED("tells the connection before that it is fenced"),
    AWAIT_CLEARED("looks at it again once they are gone"),
    EXTEND("extends its deadline"),
    DETACH("stops its events, and sets its deadline"),
    SERVE("does it"),
    KEEP("answers that it stays"),
    DEPART("ends its processes, with their usual grace"),
    EXPIRE("counts it as expired"),
    CLEAR("drops its journals, and ends its processes"),
    TELL_ENDED("tells the gateway that it ended");

    private final String meaning;

    SessionAction(String meaning) {
        this.meaning = meaning;
    }

    /** For people: completes "the worker ...". */
    String meaning() {
        return meaning;
    }
}
