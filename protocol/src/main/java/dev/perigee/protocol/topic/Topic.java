package dev.perigee.protocol.topic;

/** The topics of the contract. A topic's full name is the prefix followed by {@link #suffix()}. */
public enum Topic {
    COMMANDS("commands", Cleanup.DELETE, true),
    TOOL_REQUESTS("tool-requests", Cleanup.DELETE, true),
    TOOL_RESULTS("tool-results", Cleanup.DELETE, false),
    COMMAND_RESULTS("command-results", Cleanup.DELETE, false),
    STATUS("status", Cleanup.COMPACT, false),
    LIFECYCLE("lifecycle", Cleanup.DELETE, false),
    LOGS("logs", Cleanup.DELETE, false),
    REQUEST_LOGS("request-logs", Cleanup.DELETE, false),
    CALL_EVENTS("call-events", Cleanup.DELETE, false),
    SERVER_EVENTS("server-events", Cleanup.DELETE, false),
    TOOLS("tools", Cleanup.COMPACT, false),
    CATALOG("catalog", Cleanup.COMPACT, false),
    USAGE("usage", Cleanup.DELETE, false),
    HEARTBEATS("heartbeats", Cleanup.COMPACT_AND_DELETE, false),
    DEAD_LETTERS("dead-letters", Cleanup.DELETE, false),
    AUDIT("audit", Cleanup.DELETE, false),
    STATE("state", Cleanup.COMPACT, true);

    private final String suffix;
    private final Cleanup cleanup;
    private final boolean processPartitioned;

    Topic(String suffix, Cleanup cleanup, boolean processPartitioned) {
        this.suffix = suffix;
        this.cleanup = cleanup;
        this.processPartitioned = processPartitioned;
    }

    /** The name without prefix. */
    public String suffix() {
        return suffix;
    }

    /** The cleanup policy the topic must have. */
    public Cleanup cleanup() {
        return cleanup;
    }

    /**
     * True of a topic without which a fleet of an earlier version runs: a gateway starts without
     * it, and what is for it is kept or dropped as for any topic that cannot be written.
     */
    public boolean isOptional() {
        return switch (this) {
            case CALL_EVENTS, SERVER_EVENTS, CATALOG, USAGE, AUDIT -> true;
            default -> false;
        };
    }

    /** True for the topics whose partitions are the process partitions: all have the same count. */
    public boolean isProcessPartitioned() {
        return processPartitioned;
    }
}
