package dev.perigee.worker.process;

/**
 * Limit that ended a server, and why.
 *
 * @param limit which one
 * @param message for people: a clause about the server such as "its processes used 620 MiB, the
 *     limit is 512 MiB"; no secrets
 */
public record LimitEnd(Limit limit, String message) {}
