package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.local.erase.Erasure;
import dev.perigee.local.erase.Holding;
import dev.perigee.local.erase.Survey;
import dev.perigee.local.erase.UserMatcher;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Erases a user from the topics, and shows what still holds the user. */
@Command(
        name = "erase",
        header = "Erase a user from all topics, and show what still holds the user.",
        description = {
            "Without --yes it only reads all topics and counts the records that hold the user. With"
                    + " --yes it uninstalls all that the user has, writes the tombstones that are"
                    + " missing, and reads all topics again. Records that were replaced go by"
                    + " compaction, those of other topics by retention: it says when. It can be run"
                    + " again at any time, also after it was interrupted.",
            "",
            "Exits 0 when all is gone or will go by itself, 1 when something stays, or was not"
                    + " uninstalled; with --check 1 while any record holds the user."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee erase u1",
            "  perigee erase u1 --team t1 --yes",
            "  perigee erase former-user --check"
        })
final class EraseCommand extends SendingCommand {
    private static final int MOST_TEAMS = 1_000;

    @Parameters(paramLabel = "USER", description = "The user's id.")
    private String user = "";

    @Option(
            names = "--team",
            paramLabel = "ID",
            description =
                    "Only the user of this team. May be given several times (default: every team in"
                            + " which there is something of a user of this id).")
    private Set<String> teams = Set.of();

    @Option(names = "--yes", description = "Do it. Look first at what it finds without.")
    private boolean agreed;

    @Option(
            names = "--check",
            description = "Do nothing, and exit with 1 while any record holds the user.")
    private boolean check;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description =
                    "Number of partitions with which the fleet began, where some were added since.")
    private @Nullable Integer partitions;

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        var matcher = new UserMatcher(teams, user);
        var survey = new Survey(connection(), matcher);
        try {
            var before = survey(survey, Survey.ALL);
            if (!agreed) {
                return looked(before, matcher);
            }
            if (matcher.teams().size() > MOST_TEAMS) {
                throw CliException.usage(
                        "There is something of a user %s in more than %d teams: give --team"
                                .formatted(user, MOST_TEAMS));
            }
            return erase(survey, before, matcher);
        } catch (UserMatcher.TooManyException e) {
            throw CliException.usage(e.getMessage() + " Narrow it with --team.");
        }
    }

    private void checkOptions() {
        try {
            Require.id(user, "user_id");
            teams.forEach(team -> Require.id(team, "team_id"));
        } catch (InvalidRecordException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
        if (partitions != null && partitions < 1) {
            throw CliException.usage("--partitions must be at least 1");
        }
        if (agreed && check) {
            throw CliException.usage("--check does nothing: leave out --yes");
        }
    }

    private int looked(List<Holding> found, UserMatcher matcher) throws InterruptedException {
        var report = report(found);
        report.show();
        warn(
                report.records() == 0
                        ? "No record holds the user."
                        : "Of the teams %s. Nothing was done; --yes erases the user."
                                .formatted(String.join(", ", matcher.teams())));
        return check && report.records() > 0 ? ExitCode.FAILED : ExitCode.OK;
    }

    private int erase(Survey survey, List<Holding> before, UserMatcher matcher)
            throws InterruptedException {
        var removals = matcher.teams().stream().map(this::removal).toList();
        if (!removals.isEmpty() && send(removals, _ -> true) != ExitCode.OK) {
            warn("Not all was uninstalled, so nothing else was done. Run it again.");
            return ExitCode.FAILED;
        }
        int missing = new Erasure(connection()).bury(before, survey(survey, Survey.OF_INSTANCES));
        if (missing > 0) {
            warn(
                    "%d records of instances that were not installed any more have tombstones now."
                            .formatted(missing));
        }
        var report = report(survey(survey, Survey.ALL));
        report.show();
        return report.verdict(this::warn);
    }

    /** Removes all that the user has in a team; again it does nothing. */
    private Addressed removal(String team) {
        var payload =
                new CommandPayload(
                        "team_member_removed",
                        null,
                        null,
                        team,
                        user,
                        null,
                        null,
                        null,
                        null,
                        null);
        return new Addressed(
                new RecordKey(team, user),
                commands(false).command(CommandType.CONFIGURE, payload),
                partitions);
    }

    private List<Holding> survey(Survey survey, Set<Topic> topics) {
        try (var _ = waiting("Reading the topics")) {
            return survey.of(topics);
        }
    }

    private EraseReport report(List<Holding> holdings) throws InterruptedException {
        var lifetimes = new Erasure(connection()).lifetimes(holdings);
        return new EraseReport(connection().names(), holdings, lifetimes, output());
    }
}
