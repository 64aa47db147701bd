package dev.perigee.local.replay;

/** Ends a replay with one line for the user: what is wrong and what to do next. */
public final class ReplayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of thing is wrong. */
    public enum Kind {
        /** The user asked for something impossible or refused. */
        USAGE,
        /** A cluster does not answer, or a topic is missing. */
        UNAVAILABLE,
        /** The run could not go on. */
        FAILED
    }

    private final Kind kind;

    private ReplayException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    static ReplayException usage(String message) {
        return new ReplayException(Kind.USAGE, message);
    }

    static ReplayException unavailable(String message) {
        return new ReplayException(Kind.UNAVAILABLE, message);
    }

    static ReplayException failed(String message) {
        return new ReplayException(Kind.FAILED, message);
    }

    public Kind kind() {
        return kind;
    }
}
