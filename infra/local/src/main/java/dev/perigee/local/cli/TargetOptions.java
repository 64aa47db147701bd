package dev.perigee.local.cli;

import dev.perigee.client.KafkaConnection;
import dev.perigee.part.CliException;
import dev.perigee.protocol.event.Event;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Target of a command: an installation of a team by its id, or all instances that selectors find.
 */
final class TargetOptions {
    private static final int MOST_AT_A_TIME = 1_000;
    private static final int MOST_UNLESS_SAID = 1_000;

    @Option(names = "--team", paramLabel = "ID", description = "The team's id.")
    private @Nullable String team;

    @Option(
            names = "--user",
            paramLabel = "ID",
            description = "The user's id (default: every user).")
    private @Nullable String user;

    @Parameters(
            paramLabel = "INSTALLATION",
            arity = "0..1",
            description = "The installation's id, of --team. Without it selectors say which.")
    private @Nullable String installation;

    @Mixin private InstanceFilter filter = new InstanceFilter();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Of selected instances so many at a time, and as many a second at most; the next"
                            + " when these have their results (default 10).")
    private int rate;

    @Option(
            names = "--at-most",
            paramLabel = "N",
            description =
                    "Do nothing where the selectors find more than N instances. What --dry-run"
                            + " shows may have grown since (default of restart 1000; delete needs"
                            + " it).")
    private @Nullable Integer atMost;

    @Option(
            names = "--dry-run",
            description = "Show the selected instances, and do nothing to them.")
    private boolean dryRun;

    /** An installation by its id. */
    record Named(String team, @Nullable String user, String installation) {}

    /**
     * The installation that is named, null where instances are selected.
     *
     * @throws CliException when neither is said, or both
     */
    @Nullable Named named() {
        filter.check();
        if (rate < 1 || rate > MOST_AT_A_TIME) {
            throw CliException.usage("--rate must be from 1 to " + MOST_AT_A_TIME);
        }
        if (atMost != null && atMost < 1) {
            throw CliException.usage("--at-most must be at least 1");
        }
        if (installation != null) {
            if (team == null) {
                throw CliException.usage("INSTALLATION needs its --team");
            }
            if (filter.isGiven() || dryRun || atMost != null) {
                throw CliException.usage(
                        "INSTALLATION is one: leave out --dry-run, --at-most and the selectors, or"
                                + " the id");
            }
            return new Named(team, user, installation);
        }
        if (!filter.isGiven()) {
            throw CliException.usage(
                    "Name an INSTALLATION of a --team, or select by --server, --server-version,"
                            + " --status or --worker");
        }
        return null;
    }

    /** Statuses of the selected instances, by process id. */
    List<Event> selected(KafkaConnection connection) {
        return List.copyOf(InstanceFilter.current(connection, this::accepts).values());
    }

    /** Those of them that are selected still. */
    List<Event> still(KafkaConnection connection, List<Event> those) {
        var now = InstanceFilter.current(connection, this::accepts).keySet();
        return those.stream().filter(each -> now.contains(each.origin().processId())).toList();
    }

    private boolean accepts(Event event) {
        var origin = event.origin();
        return (team == null || team.equals(origin.teamId()))
                && (user == null || user.equals(origin.userId()))
                && filter.accepts(event);
    }

    int rate() {
        return rate;
    }

    /** Count of instances beyond which nothing is done to any of them. */
    int atMost() {
        return atMost == null ? MOST_UNLESS_SAID : atMost;
    }

    boolean isBounded() {
        return atMost != null;
    }

    boolean isDryRun() {
        return dryRun;
    }
}
