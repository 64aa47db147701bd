package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.command.CommandError;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits of installations of a user and a team. A user's are all in one partition, so that limit is
 * exact. A team's are counted over the partitions of this gateway: with several gateways each
 * allows as many, and partitions that install for a team at the same moment may exceed it by one
 * each. What is installed stays installed when a limit is lowered. Any thread.
 */
public final class Installations {
    /** Stable, for programs. */
    static final String CODE = "too_many_installations";

    private final int perUser;
    private final int perTeam;
    private final Map<Tenure, Map<String, Integer>> byTenure = new ConcurrentHashMap<>();

    /**
     * @param perUser installations that one user of a team may have
     * @param perTeam installations that one team may have in the partitions of this gateway
     */
    public Installations(int perUser, int perTeam) {
        this.perUser = perUser;
        this.perTeam = perTeam;
    }

    /**
     * Begins to count what an owner has on its partition.
     *
     * @param byTeam how many installations each team has there, kept up by the owner; safe for use
     *     by any thread
     */
    void count(Tenure tenure, Map<String, Integer> byTeam) {
        byTenure.put(tenure, byTeam);
    }

    void forget(Tenure tenure) {
        byTenure.remove(tenure);
    }

    /**
     * Why one more cannot be installed; null where it can.
     *
     * @param ofUser what the user has, and what is being installed for it
     * @param arriving what is being installed for the team, and not counted yet
     */
    @Nullable CommandError refusal(String teamId, int ofUser, int arriving) {
        if (ofUser >= perUser) {
            return error("The user", ofUser, "limits.user.installations", perUser);
        }
        int ofTeam = arriving;
        for (var counts : byTenure.values()) {
            ofTeam += counts.getOrDefault(teamId, 0);
        }
        return ofTeam >= perTeam
                ? error("The team", ofTeam, "limits.team.installations", perTeam)
                : null;
    }

    private static CommandError error(String who, int count, String limit, int allowed) {
        return new CommandError(
                CODE,
                "%s has %d installations and %s is %d: delete one, or have the limit raised"
                        .formatted(who, count, limit, allowed));
    }
}
