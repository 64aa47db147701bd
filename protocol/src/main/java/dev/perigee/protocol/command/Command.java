package dev.perigee.protocol.command;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordKey;
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

    /**
     * The key that its record has to have.
     *
     * @throws InvalidRecordException when neither payload nor configuration name a team
     */
    public RecordKey key() {
        var config = payload.config();
        var team = payload.teamId() == null && config != null ? config.teamId() : payload.teamId();
        var user = payload.userId() == null && config != null ? config.userId() : payload.userId();
        return new RecordKey(Require.present(team, "payload.team_id"), user);
    }
}
