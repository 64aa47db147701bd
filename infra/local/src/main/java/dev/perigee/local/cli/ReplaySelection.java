package dev.perigee.local.cli;

import dev.perigee.local.replay.IncludedRequests;
import dev.perigee.local.replay.Selection;
import dev.perigee.part.CliException;
import dev.perigee.protocol.settings.SettingType;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which records are replayed. */
final class ReplaySelection {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Only records from then on: 2026-11-20T10:00:00Z, or 2h for two hours ago.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only records before then.")
    private @Nullable String until;

    @Option(
            names = "--partitions",
            paramLabel = "LIST",
            description = "Only these partitions of the source, such as 0,3-5.")
    private @Nullable String partitions;

    @Option(names = "--team", paramLabel = "ID", description = "Only this team.")
    private @Nullable String team;

    @Option(
            names = "--user",
            paramLabel = "ID",
            description = "Only this user, and what is for every user of a team.")
    private @Nullable String user;

    @Option(
            names = "--installation",
            paramLabel = "ID",
            description = "Only this installation, and what is for all of a user's.")
    private @Nullable String installation;

    @Option(
            names = "--include-requests",
            paramLabel = "read-only|all",
            description =
                    "Tool requests, too: lists, searches, reads and calls of tools declared"
                            + " read-only, or all.")
    private @Nullable IncludedRequests requests;

    @Option(
            names = "--tool",
            paramLabel = "SLUG:TOOL",
            description =
                    "Also calls of this tool, though it is not declared read-only: it acts for real,"
                            + " unless servers are recorded ones. May be repeated.")
    private List<String> tools = List.of();

    /** What is selected, null when no option says anything. */
    @Nullable Selection orNull(InstantSource clock) {
        var given = Stream.of(since, until, partitions, team, user, installation, requests);
        if (given.allMatch(option -> option == null) && tools.isEmpty()) {
            return null;
        }
        for (var tool : tools) {
            if (tool.indexOf(':') <= 0 || tool.endsWith(":")) {
                throw CliException.usage("--tool '" + tool + "' is no tool: write SLUG:TOOL");
            }
        }
        var others = tools.isEmpty() ? IncludedRequests.NONE : IncludedRequests.READ_ONLY;
        return new Selection(
                time("--since", since, clock),
                time("--until", until, clock),
                partitions == null ? List.of() : partitions(partitions),
                team,
                user,
                installation,
                requests == null ? others : requests,
                tools);
    }

    private static @Nullable Instant time(
            String option, @Nullable String text, InstantSource clock) {
        if (text == null) {
            return null;
        }
        var ago = SettingType.duration().parser().parse(text);
        if (ago != null) {
            return clock.instant().minus(ago);
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw CliException.usage(
                    option
                            + " '"
                            + text
                            + "' is no time: write 2026-11-20T10:00:00Z, or 2h for two hours ago");
        }
    }

    private static List<Integer> partitions(String text) {
        var partitions = new TreeSet<Integer>();
        for (var part : text.split(",", -1)) {
            var range = RANGE.matcher(part.strip());
            if (!range.matches()) {
                throw CliException.usage("--partitions '" + text + "' is no list such as 0,3-5");
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            for (int partition = first; partition <= last; partition++) {
                partitions.add(partition);
            }
        }
        return List.copyOf(partitions);
    }
}
