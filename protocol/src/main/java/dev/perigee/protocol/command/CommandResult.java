package dev.perigee.protocol.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.perigee.protocol.json.Require;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a command, on {@code command-results}: {@code acknowledged} when it was accepted,
 * then exactly one terminal outcome.
 *
 * @param event always {@link #EVENT}
 * @param processId the instance it was about, null for a broadcast or when it could not be read
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
