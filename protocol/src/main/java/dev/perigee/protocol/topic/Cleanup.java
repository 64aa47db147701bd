package dev.perigee.protocol.topic;

/** A topic's cleanup policy, as Kafka spells it. */
public enum Cleanup {
    DELETE("delete"),
    COMPACT("compact"),
    COMPACT_AND_DELETE("compact,delete");

    private final String policy;

    Cleanup(String policy) {
        this.policy = policy;
    }

    /** The value of Kafka's {@code cleanup.policy}. */
    public String policy() {
        return policy;
    }
}
