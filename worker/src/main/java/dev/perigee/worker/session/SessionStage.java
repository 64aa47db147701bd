package dev.perigee.worker.session;

/** Stages of a partition's session on a worker. */
enum SessionStage {
    ABSENT("there is none"),
    CLEARING("there is none, and the processes of the last one are being ended"),
    ATTACHED("a gateway is attached"),
    DETACHED("no gateway is attached; it goes on until its deadline"),
    LEAVING("its processes are being ended, and the attached gateway receives their last events"),
    LEAVING_DETACHED("the same, and the next owner receives them");

    private final String meaning;

    SessionStage(String meaning) {
        this.meaning = meaning;
    }

    /** For people. */
    String meaning() {
        return meaning;
    }

    boolean exists() {
        return this != ABSENT && this != CLEARING;
    }

    boolean isAttached() {
        return this == ATTACHED || this == LEAVING;
    }

    boolean isLeaving() {
        return this == LEAVING || this == LEAVING_DETACHED;
    }
}
