package dev.perigee.protocol.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Result of a command, on {@code command-results}: {@code acknowledged} when it was accepted, then
 * exactly one terminal outcome.
 *
 * @param event always {@link #EVENT}
 * @param commandId the command's id
 * @param correlationId copied from the command, null where it had none
 * @param outcome how far the command came
 * @param processId the instance it was about, null for a broadcast or when it could not be read
 * @param result what it led to, null where there is nothing to say
 * @param error why it failed or was rejected, else null
 * @param timestamp when this result was decided, by the clock of the gateway or worker
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record CommandResult(
        String event,
        String commandId,
        @Nullable String correlationId,
        CommandOutcome outcome,
        @Nullable String processId,
        @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable CommandDetails result,
        @Nullable CommandError error,
        Instant timestamp) {
    /** The value of {@code event} and {@code ce_type}. */
    public static final String EVENT = "perigee.command.result";

    public CommandResult {
        Require.text(event, "event");
        Require.text(commandId, "command_id");
        Require.present(outcome, "outcome");
        Require.present(timestamp, "timestamp");
    }
}
