package dev.perigee.local.replay;

/** Tool requests that are copied besides the commands. */
public enum IncludedRequests {
    NONE("none"),
    /** Lists, searches and reads, and calls of tools that their server declares read-only. */
    READ_ONLY("read-only"),
    ALL("all");

    private final String wireName;

    IncludedRequests(String wireName) {
        this.wireName = wireName;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return wireName;
    }
}
