package dev.perigee.worker.process;

import org.jspecify.annotations.Nullable;

/**
 * Exit status of a process: a code or a signal, never both.
 *
 * @param code the exit code, 0 to 255, or null when a signal ended it
 * @param signal the signal's name such as {@code SIGKILL}, or null when it exited by itself
 * @param limit the limit that ended it, null when none did
 * @param starved whether the kernel ended it because the machine or container had no memory left,
 *     though it was not seen beyond its limit: another's doing, as far as is known
 */
public record ExitStatus(
        @Nullable Integer code,
        @Nullable String signal,
        @Nullable LimitEnd limit,
        boolean starved) {

    private static final int SIGNAL_BASE = 128;

    /** Refuses an end that is both or neither. */
    public ExitStatus {
        if ((code == null) == (signal == null)) {
            throw new IllegalArgumentException("Exactly one of code and signal must be given");
        }
    }

    /** The process returned this code. */
    public static ExitStatus exited(int code) {
        return new ExitStatus(code, null, null, false);
    }

    /** The signal of this name ended the process. */
    public static ExitStatus killedBy(String signal) {
        return new ExitStatus(null, signal, null, false);
    }

    /** The same end, brought about by a limit. */
    public ExitStatus by(@Nullable LimitEnd end) {
        return new ExitStatus(code, signal, end, false);
    }

    /** The same end, brought about by want of memory that is not known to be its own doing. */
    public ExitStatus byStarvation() {
        return new ExitStatus(code, signal, null, true);
    }

    /**
     * What became of the program, where this is the end of something that reports a death by signal
     * n as exit code 128 + n: a jail, a shell, the JDK. A program that returns such a code itself
     * looks the same.
     */
    ExitStatus fromJail() {
        var ended = code == null ? null : SignalNames.name(code - SIGNAL_BASE);
        return ended == null ? this : killedBy(ended);
    }

    /** Whether the process returned 0. */
    public boolean clean() {
        return code != null && code == 0;
    }

    @Override
    public String toString() {
        var end = code != null ? "exit code " + code : "signal " + signal;
        if (starved) {
            return end + ": the machine ran out of memory";
        }
        return limit == null ? end : "%s: %s".formatted(end, limit.message());
    }
}
