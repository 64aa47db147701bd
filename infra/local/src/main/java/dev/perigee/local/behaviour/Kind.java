package dev.perigee.local.behaviour;

/** Kinds of differences, the worst first. */
public enum Kind {
    MISSING("missing", "calls and commands have no outcome any more", true),
    OUTCOME("outcome", "calls and commands end in another way", true),
    ERROR("error", "calls and commands fail with another error", true),
    TOOL_REMOVED("tool-removed", "servers lost a tool", true),
    STATUS("status", "processes end in another status", true),
    RESULT("result", "calls give another result", true),
    TOOL_SCHEMA("tool-schema", "servers take other arguments for a tool", true),
    SLOWER("slower", "tools became slow", true),
    TOOL_TEXT("tool-text", "servers describe a tool in another way", false),
    TOOL_ADDED("tool-added", "servers have a new tool", false),
    UNRECORDED("unrecorded", "calls and commands had no outcome in the first recording", false),
    EXTRA("extra", "calls and commands are only in the second recording", false);

    private final String code;
    private final String words;
    private final boolean fails;

    Kind(String code, String words, boolean fails) {
        this.code = code;
        this.words = words;
        this.fails = fails;
    }

    /** For programs, and for the rules. */
    public String code() {
        return code;
    }

    /** For people, behind a number. */
    public String words() {
        return words;
    }

    /** Whether one is too many, unless the rules allow it. */
    public boolean fails() {
        return fails;
    }
}
