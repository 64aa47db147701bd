package dev.perigee.protocol.topic;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Key of commands and tool requests: {@code {team_id}/{user_id}}, or {@code {team_id}/*} for every
 * user of the team (commands only).
 *
 * @param teamId the team, as {@link Require#id} has ids
 * @param userId null when the key addresses every user
 */
public record RecordKey(String teamId, @Nullable String userId) {
    public RecordKey {
        Require.id(teamId, "team_id");
        if (userId != null) {
            Require.id(userId, "user_id");
        }
    }

    /**
     * Reads a key.
     *
     * @throws InvalidRecordException when it does not have the contract's form
     */
    public static RecordKey parse(byte @Nullable [] key) {
        String text = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw InvalidRecordException.invalid("key is not {team_id}/{user_id}");
        }
        String user = text.substring(slash + 1);
        return new RecordKey(text.substring(0, slash), user.equals("*") ? null : user);
    }

    /** True when the key addresses every user of the team. */
    public boolean isEveryUser() {
        return userId == null;
    }

    @Override
    public String toString() {
        return teamId + "/" + (userId == null ? "*" : userId);
    }
}
