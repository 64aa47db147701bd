package dev.perigee.worker.process;

/**
 * A program could not be started. The message says what to do; it names the program but neither
 * arguments nor environment.
 */
public final class LaunchException extends Exception {

    private static final long serialVersionUID = 1;

    /** Reasons why a program could not be started. */
    public enum Reason {
        /** No such program, or the interpreter that its first line names is missing. */
        PROGRAM_NOT_FOUND,
        /** Found, but this user may not run it. */
        PERMISSION_DENIED,
        /** Neither a program for this machine nor a script with an interpreter line. */
        NOT_A_PROGRAM,
        /** The working directory does not exist or may not be entered. */
        WORKING_DIRECTORY,
        /** Arguments and environment together are larger than the system accepts. */
        ARGUMENTS_TOO_LARGE,
        /** The system or the user's limit on processes, or memory, is used up. */
        OUT_OF_PROCESSES,
        /** The worker's or the system's limit on open files is used up. */
        OUT_OF_FILES,
        /** The home of the program is over its limit of disk, since an earlier run. */
        DISK_FULL,
        /** The file system of all homes has less free than is to stay free. */
        DISK_RESERVE,
        /** The launcher is closed. */
        CLOSED,
        /** Anything else; the message carries the system's error. */
        OTHER
    }

    private final Reason reason;

    /** An exception whose message says what to do next. */
    public LaunchException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
