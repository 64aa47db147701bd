package dev.perigee.worker.process;

import org.jspecify.annotations.Nullable;

/**
 * How a process ended: by returning a code or by a signal, never both.
 *
 * @param code the exit code, 0 to 255, or null when a signal ended it
 * @param signal the signal's name such as {@code SIGKILL}, or null when it exited by itself
 */
public record ExitStatus(@Nullable Integer code, @Nullable String signal) {

    /** Refuses an end that is both or neither. */
    public ExitStatus {
        if ((code == null) == (signal == null)) {
            throw new IllegalArgumentException("Exactly one of code and signal must be given");
        }
    }

    /** The process returned this code. */
    public static ExitStatus exited(int code) {
        return new ExitStatus(code, null);
    }

    /** The signal of this name ended the process. */
    public static ExitStatus killedBy(String signal) {
        return new ExitStatus(null, signal);
    }

    /** Whether the process returned 0. */
    public boolean clean() {
        return code != null && code == 0;
    }

    @Override
    public String toString() {
        return code != null ? "exit code " + code : "signal " + signal;
    }
}
