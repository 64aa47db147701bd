package dev.perigee.local.connect;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of one client's connection: whose tools it is offered, and for how long a call may take.
 * Immutable. The constructor throws {@link InvalidRecordException} where an id is none.
 *
 * @param teamId the user's team
 * @param userId the user, as whom all is asked
 * @param installation the one whose tools are offered; null for all of the user's
 * @param server the slug of the one whose tools are offered; null for all of the user's
 * @param timeout of each call, which every progress moves by as much where the client follows it; a
 *     millisecond at least, a day at most
 * @param version of this server, as clients show it
 */
public record ConnectOptions(
        String teamId,
        String userId,
        @Nullable String installation,
        @Nullable String server,
        Duration timeout,
        String version) {
    public ConnectOptions {
        Require.id(teamId, "team_id");
        Require.id(userId, "user_id");
        if (installation != null) {
            Require.id(installation, "installation_id");
        }
    }

    /** Options of a connection to all servers of a user, or to one installation. */
    public ConnectOptions(
            String teamId,
            String userId,
            @Nullable String installation,
            Duration timeout,
            String version) {
        this(teamId, userId, installation, null, timeout, version);
    }

    /** Whether the tools are those of one server, and have its own names. */
    boolean isOfOneServer() {
        return installation != null || server != null;
    }

    /** The key of the user's requests. */
    RecordKey key() {
        return new RecordKey(teamId, userId);
    }
}
