package dev.perigee.protocol.audit;

import org.jspecify.annotations.Nullable;

/**
 * Target of an action; what does not fit it is null.
 *
 * @param user whose instance, null for every user's
 * @param selection what was selected where it has no other name, such as the options of a redrive
 */
public record AuditTarget(
        @Nullable String team,
        @Nullable String user,
        @Nullable String installation,
        @Nullable String process,
        @Nullable String tool,
        @Nullable String worker,
        @Nullable String selection) {
    /** An installation of a user, or of every user, and perhaps one of its tools. */
    public static AuditTarget installation(
            String team, @Nullable String user, String installation, @Nullable String tool) {
        return new AuditTarget(team, user, installation, null, tool, null, null);
    }

    /** One instance, and perhaps one of its tools. */
    public static AuditTarget instance(
            String process, String team, String user, String installation, @Nullable String tool) {
        return new AuditTarget(team, user, installation, process, tool, null, null);
    }

    /** A worker. */
    public static AuditTarget worker(String id) {
        return new AuditTarget(null, null, null, null, null, id, null);
    }

    /** Something that a text says, of a team's and a user's where it names them. */
    public static AuditTarget selection(
            @Nullable String team, @Nullable String user, String selection) {
        return new AuditTarget(team, user, null, null, null, null, selection);
    }
}
