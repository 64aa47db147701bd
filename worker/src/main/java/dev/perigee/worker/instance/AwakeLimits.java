package dev.perigee.worker.instance;

/**
 * Limits on the server processes that may be awake on one worker at a time.
 *
 * @param perUser of one user of a team
 * @param perTeam of all users of a team
 */
public record AwakeLimits(int perUser, int perTeam) {}
