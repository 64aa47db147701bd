package dev.perigee.gateway.partition;

/** Inputs of a request's state machine. */
enum CallEvent {
    ADMITTED("there is room for it"),
    HELD("the attached session has it from an earlier owner"),
    IN_DOUBT("an earlier owner may have sent it, and no session is attached"),
    REFUSED("it is refused, for a reason of its own"),
    FOUND("its server is known"),
    TURN("it is its user's turn"),
    LATE("its deadline passes"),
    CANCELLED("its author cancels it"),
    TAKEN("the worker accepted it"),
    TURNED_DOWN("the worker answers that it will not run it"),
    NOT_GIVEN_YET("the worker is still being given the server"),
    NOT_RUN("it cannot be delivered and surely did not run"),
    MAYBE_TAKEN("this owner's session ends, and may live on, before the acceptance is known"),
    LOST("the session ends before the worker accepted or refused it"),
    PROGRESSED("its server reports progress"),
    RESULT("its result arrives"),
    SILENT("`request.silence-margin` has passed since its deadline without a result"),
    SESSION_AWAY("the owner is fenced, or never attached; the session may live on"),
    SESSION_GONE("the session ended, or its worker is dead or given up"),
    ATTACHED_WITH("the owner attaches to a session that has it, its result to come"),
    ATTACHED_AFTER("the owner attaches to a session that had it, its result in Kafka"),
    ATTACHED_SAME_WITHOUT("the owner attaches to the session of before, which never got it"),
    ATTACHED_OTHER_WITHOUT("the owner attaches to another session, which does not have it");

    private final String meaning;

    CallEvent(String meaning) {
        this.meaning = meaning;
    }

    /** For people. */
    String meaning() {
        return meaning;
    }
}
