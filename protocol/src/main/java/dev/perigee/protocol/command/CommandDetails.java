package dev.perigee.protocol.command;

import dev.perigee.protocol.event.ServerStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Details of a command's result; which fields are present depends on its kind.
 *
 * @param resultingStatus the instance's status when the command ended
 * @param statusMessage what is known of that status, for people
 * @param active a deletion found a running process
 * @param dormant a deletion found a dormant instance
 * @param supersededBy the id of the newer configure command that overtook this one
 * @param note a short remark: {@code already running}, {@code unchanged}, {@code skipped}, {@code
 *     not found}
 * @param health of a connectivity check: healthy, unhealthy, or unknown of a dormant instance
 * @param valid of a credential validation
 * @param responseTimeMs of a health check, in milliseconds
 * @param instances one entry per instance of a broadcast command
 */
public record CommandDetails(
        @Nullable ServerStatus resultingStatus,
        @Nullable String statusMessage,
        @Nullable Boolean active,
        @Nullable Boolean dormant,
        @Nullable String supersededBy,
        @Nullable String note,
        @Nullable String health,
        @Nullable Boolean valid,
        @Nullable Long responseTimeMs,
        @Nullable List<InstanceDetails> instances) {

    /**
     * One instance of a broadcast command.
     *
     * @param processId the instance
     * @param outcome how the command ended there; terminal
     * @param result what it led to there, null where there is nothing to say
     */
    public record InstanceDetails(
            String processId, CommandOutcome outcome, @Nullable CommandDetails result) {}

    /** Only a status. */
    public static CommandDetails status(ServerStatus status, @Nullable String message) {
        return new CommandDetails(status, message, null, null, null, null, null, null, null, null);
    }

    /** A status and a remark. */
    public static CommandDetails note(@Nullable ServerStatus status, String note) {
        return new CommandDetails(status, null, null, null, null, note, null, null, null, null);
    }

    /** What a deletion found. */
    public static CommandDetails removed(boolean active, boolean dormant) {
        return new CommandDetails(null, null, active, dormant, null, null, null, null, null, null);
    }

    /** A newer configuration overtook this one. */
    public static CommandDetails supersededBy(String commandId) {
        return new CommandDetails(null, null, null, null, commandId, null, null, null, null, null);
    }
}
