package dev.perigee.local.cli;

import dev.perigee.protocol.event.EventOrigin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that narrow what is shown. */
final class OwnerFilter {
    @Option(names = "--team", paramLabel = "ID", description = "Only this team.")
    private @Nullable String team;

    @Option(names = "--user", paramLabel = "ID", description = "Only this user.")
    private @Nullable String user;

    @Option(names = "--installation", paramLabel = "ID", description = "Only this installation.")
    private @Nullable String installation;

    boolean accepts(EventOrigin origin) {
        return isOrAny(team, origin.teamId())
                && isOrAny(user, origin.userId())
                && isOrAny(installation, origin.installationId());
    }

    /** Whether a command or an action is about nothing else; null is all, or none. */
    boolean accepts(
            @Nullable String ofTeam, @Nullable String ofUser, @Nullable String ofInstallation) {
        return isOrAny(team, ofTeam)
                && isOrAny(user, ofUser)
                && isOrAny(installation, ofInstallation);
    }

    private static boolean isOrAny(@Nullable String wanted, @Nullable String found) {
        return wanted == null || wanted.equals(found);
    }
}
