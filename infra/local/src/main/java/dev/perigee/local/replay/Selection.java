package dev.perigee.local.replay;

import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selection of the source's records. Immutable.
 *
 * @param since appended at this time or later; null for all that is there
 * @param until appended before this time; null for all that is there when the run begins
 * @param partitions of the source; empty for all
 * @param tools paths of tools that are called for real though nothing says that they only read;
 *     null, as in a run of an older version, for none
 */
public record Selection(
        @Nullable Instant since,
        @Nullable Instant until,
        List<Integer> partitions,
        @Nullable String team,
        @Nullable String user,
        @Nullable String installation,
        IncludedRequests requests,
        @Nullable List<String> tools) {
    public Selection {
        partitions = List.copyOf(partitions);
        tools = tools == null ? List.of() : List.copyOf(tools);
    }

    /** Every command and no request. */
    public static Selection all() {
        return new Selection(
                null, null, List.of(), null, null, null, IncludedRequests.NONE, List.of());
    }

    /** The same, with requests that only read if there are none. */
    public Selection withRequests() {
        return requests != IncludedRequests.NONE
                ? this
                : new Selection(
                        since,
                        until,
                        partitions,
                        team,
                        user,
                        installation,
                        IncludedRequests.READ_ONLY,
                        tools);
    }

    /** Whether a tool may be called whatever it does. */
    boolean names(@Nullable String toolPath) {
        return tools != null && toolPath != null && tools.contains(toolPath);
    }

    boolean hasPartition(int partition) {
        return partitions.isEmpty() || partitions.contains(partition);
    }

    /** A command for every user of a team is about each of them. */
    boolean accepts(RecordKey key) {
        return isOrAny(team, key.teamId()) && (key.userId() == null || isOrAny(user, key.userId()));
    }

    /** A command that names no installation is about all of its user's. */
    boolean accepts(CommandPayload payload) {
        var config = payload.config();
        var named = config == null ? payload.installationId() : config.installationId();
        return named == null || isOrAny(installation, named);
    }

    private static boolean isOrAny(@Nullable String wanted, String found) {
        return wanted == null || wanted.equals(found);
    }
}
