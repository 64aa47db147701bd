package dev.perigee.protocol.command;

import dev.perigee.protocol.json.Require;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command as the backend writes it to {@code commands}. {@link CommandAction#of} says what it
 * asks for.
 *
 * @param id the command's own id; the same id twice runs once
 * @param commandType one of {@link CommandType}; kept as text so that an unknown one can be
 *     answered
 * @param priority informational
 * @param expiresAt past it, at acceptance, nothing is done
 */
public record Command(
        String id,
        String commandType,
        @Nullable String priority,
        @Nullable String correlationId,
        @Nullable Instant issuedAt,
        @Nullable Instant expiresAt,
        CommandPayload payload) {
    public Command {
        Require.id(id, "id");
        Require.text(commandType, "command_type");
        Require.present(payload, "payload");
    }
}
