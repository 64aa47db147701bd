package dev.perigee.part;

/** Exit codes of the command line. Part of the contract. */
public final class ExitCode {
    public static final int OK = 0;

    /** A command did not lead where it should, a tool said error, or topics differ. */
    public static final int FAILED = 1;

    /** A call has no server's answer. */
    public static final int NO_ANSWER = 2;

    /** Bad options, arguments, files or configuration. */
    public static final int USAGE = 64;

    /** No broker or worker answers, or a topic is missing. */
    public static final int UNAVAILABLE = 69;

    /** A bug, or something that should not happen. */
    public static final int INTERNAL = 70;

    /** Interrupted. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
