package dev.perigee.protocol.command;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command as the backend writes it to {@code commands}. {@link CommandAction#of} says what it
 * asks for. The constructor throws {@link InvalidRecordException}, which makes the record a dead
 * letter, answered {@code rejected} or {@code failed} where its id can be read, when a required
 * field is missing or a value is not acceptable.
 *
 * @param id the command's own id, as {@link Require#id} has them; required. The same id twice
 *     within 24 hours runs once
 * @param commandType one of {@link CommandType}; required; kept as text so that an unknown one can
 *     be answered
 * @param priority informational; null where the backend gives none
 * @param correlationId copied to the results; null where the backend gives none
 * @param issuedAt when the backend issued the command, of the years 0000 to 9999; informational
 * @param expiresAt a command accepted later than this is answered {@code expired} and nothing is
 *     done, of the years 0000 to 9999; null when it does not expire
 * @param payload what the command is about; required
 */
public record Command(
        String id,
        String commandType,
        @Nullable String priority,
        @Nullable String correlationId,
        @Nullable Instant issuedAt,
        @Nullable Instant expiresAt,
        CommandPayload payload) {
    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    public Command {
        Require.id(id, "id");
        Require.text(commandType, "command_type");
        Require.present(payload, "payload");
        requireYear(issuedAt, "issued_at");
        requireYear(expiresAt, "expires_at");
        if (payload.config() != null) {
            payload.config().requireLimits();
        }
    }

    /** Times are written with a year of four digits, as RFC 3339 has them. */
    private static void requireYear(@Nullable Instant time, String field) {
        if (time != null && (time.isBefore(FIRST) || !time.isBefore(END))) {
            throw InvalidRecordException.invalid(
                    "field " + field + " must be a time of the years 0000 to 9999");
        }
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
