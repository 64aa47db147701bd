package dev.perigee.testing.history;

/**
 * A call, or a command, that was asked for.
 *
 * @param effect the line that the tool appends to a file each time it runs, unique among requests;
 *     empty for a command
 * @param repeatable the tool says that it may run again
 * @param sentMs when, in milliseconds of the epoch
 */
public record Request(String id, String processId, String effect, boolean repeatable, long sentMs) {

    /** A command of an instance. */
    static Request command(String id, String processId, long sentMs) {
        return new Request(id, processId, "", false, sentMs);
    }

    boolean isCommand() {
        return effect.isEmpty();
    }
}
