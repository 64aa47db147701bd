package dev.perigee.gateway.partition;

/** Outputs of a request's state machine: data, carried out by {@link CallFlow}. */
enum CallAction {
    NOTHING(""),
    FIND_SERVER("looks for its server"),
    ENQUEUE("queues it"),
    PUT_ASIDE("keeps it until the worker has the server"),
    SEND("sends it to the worker"),
    AWAIT_RESULT("awaits its result"),
    AWAIT_ATTACH("awaits the next attach"),
    ANSWER("answers it"),
    RELAY("passes the worker's answer on"),
    PUBLISH("publishes the result"),
    SETTLE("counts it as answered");

    private final String meaning;

    CallAction(String meaning) {
        this.meaning = meaning;
    }

    /** For people: completes "the gateway ..."; empty where nothing is done. */
    String meaning() {
        return meaning;
    }
}
