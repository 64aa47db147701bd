package dev.perigee.gateway.partition;

/** What can happen to a request. */
enum CallEvent {
    ADMITTED("there is room for it"),
    HELD("the attached session has it already"),
    IN_DOUBT("an earlier owner may have sent it, and no session is attached"),
    REFUSED("it is refused, with a reason"),
    FOUND("its server is known"),
    TURN("it is its user's turn"),
    LATE("its deadline passes"),
    CANCELLED("its author cancels it"),
    TAKEN("the worker took it"),
    TURNED_DOWN("the worker answers that it will not run"),
    NOT_GIVEN_YET("the worker is still being given the server"),
    NOT_RUN("it cannot be delivered and surely did not run"),
    MAYBE_TAKEN("the link ends before the worker says whether it took it"),
    LOST("the session ends before the worker says whether it took it"),
    PROGRESSED("its server reports progress"),
    RESULT("its result arrives"),
    SILENT("nothing is heard for the margin past its deadline"),
    SESSION_AWAY("the session is detached, and may live on"),
    SESSION_GONE("the session is gone, with its worker or without"),
    ATTACHED_WITH("a session is attached that has it"),
    ATTACHED_AFTER("a session is attached whose answer to it was published"),
    ATTACHED_SAME_WITHOUT("the session from before is attached, and never got it"),
    ATTACHED_OTHER_WITHOUT("another session is attached, and does not have it");

    private final String meaning;

    CallEvent(String meaning) {
        this.meaning = meaning;
    }

    /** For people. */
    String meaning() {
        return meaning;
    }
}
