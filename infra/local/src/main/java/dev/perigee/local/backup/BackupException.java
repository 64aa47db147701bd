package dev.perigee.local.backup;

/** End of a backup or restoration with one line for the user: what is wrong, what to do next. */
public final class BackupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What kind of thing is wrong. */
    public enum Kind {
        /** The file is none, damaged, or there already. */
        USAGE,
        /** A disk or cluster does not answer, or a topic is missing. */
        UNAVAILABLE,
        /** The topics are not as they must be. */
        FAILED
    }

    private BackupException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    static BackupException usage(String message) {
        return new BackupException(Kind.USAGE, message);
    }

    static BackupException unavailable(String message) {
        return new BackupException(Kind.UNAVAILABLE, message);
    }

    static BackupException failed(String message) {
        return new BackupException(Kind.FAILED, message);
    }

    public Kind kind() {
        return kind;
    }
}
