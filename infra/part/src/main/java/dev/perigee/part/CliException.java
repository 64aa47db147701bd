package dev.perigee.part;

/** Ends a command with one line for the user and an exit code. */
public final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public CliException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public static CliException usage(String message) {
        return new CliException(ExitCode.USAGE, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
