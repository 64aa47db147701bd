package dev.perigee.testing.history;

/**
 * A call that was asked for.
 *
 * @param effect the line that the tool appends to a file each time it runs, unique among requests
 * @param repeatable the tool says that it may run again
 * @param sentMs when, in milliseconds of the epoch
 */
public record Request(
        String id, String processId, String effect, boolean repeatable, long sentMs) {}
