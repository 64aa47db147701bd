package dev.perigee.worker.process;

/** Linux's error numbers, the same on x86-64 and aarch64, and what they mean for a launch. */
final class Errno {

    static final int INTERRUPTED = 4;
    static final int TRY_AGAIN = 11;

    private static final int NO_ENTRY = 2;
    private static final int ARGUMENTS_TOO_BIG = 7;
    private static final int NO_EXEC = 8;
    private static final int NO_MEMORY = 12;
    private static final int ACCESS = 13;
    private static final int FILE_TABLE_FULL = 23;
    private static final int TOO_MANY_FILES = 24;

    private Errno() {}

    static LaunchException launchFailure(String program, int error) {
        return switch (error) {
            case NO_ENTRY ->
                    failure(
                            LaunchException.Reason.PROGRAM_NOT_FOUND,
                            program,
                            "the interpreter in its first line does not exist; install it on the"
                                    + " worker");
            case ACCESS ->
                    failure(
                            LaunchException.Reason.PERMISSION_DENIED,
                            program,
                            "permission denied for it, its interpreter or the working directory;"
                                    + " check their modes and mount options");
            case NO_EXEC ->
                    failure(
                            LaunchException.Reason.NOT_A_PROGRAM,
                            program,
                            "it is neither a program for this machine nor a script that names an"
                                    + " interpreter; correct the file or the command");
            case ARGUMENTS_TOO_BIG ->
                    failure(
                            LaunchException.Reason.ARGUMENTS_TOO_LARGE,
                            program,
                            "arguments and environment are too large together; shorten them");
            case TRY_AGAIN, NO_MEMORY ->
                    failure(
                            LaunchException.Reason.OUT_OF_PROCESSES,
                            program,
                            "no more processes or memory; raise the limits (ulimit -u, pids.max) or"
                                    + " run fewer on this worker");
            case FILE_TABLE_FULL, TOO_MANY_FILES ->
                    failure(
                            LaunchException.Reason.OUT_OF_FILES,
                            program,
                            "no more open files; raise the limit (ulimit -n; four are needed for"
                                    + " each process) or run fewer on this worker");
            default ->
                    failure(
                            LaunchException.Reason.OTHER,
                            program,
                            "system error " + error + "; see errno(3)");
        };
    }

    private static LaunchException failure(
            LaunchException.Reason reason, String program, String what) {
        return new LaunchException(
                reason, "The program '%s' could not be started: %s".formatted(program, what));
    }
}
