package dev.perigee.local.cli;

import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Installs or updates servers from files, or sends the commands that the files hold. */
@Command(
        name = "apply",
        header = "Install servers from files, or send the commands in them.",
        description = {
            "A file holds server configurations or whole command records as JSON: one object, an"
                    + " array, or one object per line. Shows each status, exits 0 when every"
                    + " command completed and every configured server is online.",
            "",
            "Selectors narrow what is sent of the files: --server, --server-version, --status and"
                    + " --worker to what is installed and has that as its last status."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee apply infra/local/examples/everything.json",
            "  perigee apply --deadline 5m servers.jsonl",
            "  perigee apply servers.jsonl --team t1 --rate 5 --dry-run",
            "  generate-config | perigee apply -"
        })
final class ApplyCommand extends SendingCommand {
    private static final int MOST_AT_A_TIME = 1_000;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "JSON files, - for stdin.")
    private List<String> files = List.of();

    @Mixin private OwnerFilter owner = new OwnerFilter();

    @Mixin private InstanceFilter filter = new InstanceFilter();

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "So many commands at a time, and as many a second at most; the next when these"
                            + " have their results. Ends where none of a time came right (default:"
                            + " all at once).")
    private @Nullable Integer rate;

    @Option(names = "--dry-run", description = "Show what would be sent, and send nothing.")
    private boolean dryRun;

    @Option(
            names = "--keep-ids",
            description =
                    "Send command records with their own ids. A fleet runs one id only once, so"
                            + " without this they get new ones.")
    private boolean keepIds;

    /** What a command is about; null is all, so that it is no single instance. */
    private record Target(String team, @Nullable String user, @Nullable String installation) {
        static Target of(Addressed addressed) {
            var key = addressed.key();
            return new Target(key.teamId(), key.userId(), installationOf(addressed));
        }

        static Target of(EventOrigin origin) {
            return new Target(origin.teamId(), origin.userId(), origin.installationId());
        }
    }

    /** A command without its configuration, which has secrets; for machines. */
    private record Planned(
            String team,
            @Nullable String user,
            @Nullable String installation,
            @Nullable String server,
            String commandType,
            @Nullable String event) {

        static Planned of(Addressed addressed) {
            var command = addressed.command();
            var config = command.payload().config();
            return new Planned(
                    addressed.key().teamId(),
                    addressed.key().userId(),
                    installationOf(addressed),
                    config == null ? null : config.serverSlug(),
                    command.commandType(),
                    command.payload().event());
        }

        List<String> cells() {
            return List.of(
                    team,
                    user == null ? "*" : user,
                    installation == null ? "-" : installation,
                    server == null ? "-" : server,
                    event == null ? commandType : event);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        filter.check();
        if (rate != null && (rate < 1 || rate > MOST_AT_A_TIME)) {
            throw CliException.usage("--rate must be from 1 to " + MOST_AT_A_TIME);
        }
        var made = commands(keepIds);
        var addressed = new ArrayList<Addressed>();
        for (var file : files) {
            addressed.addAll(CommandFile.read(file, made));
        }
        var selected = selected(addressed);
        if (selected.isEmpty()) {
            warn("No command is selected.");
            return ExitCode.OK;
        }
        if (dryRun) {
            show(selected);
            return ExitCode.OK;
        }
        return rate == null
                ? send(selected, ApplyCommand::isOnlineIfItHasAStatus)
                : sendPaced(
                        selected,
                        rate,
                        UnaryOperator.identity(),
                        each -> new Addressed(made.renewed(each.command())),
                        ApplyCommand::isOnlineIfItHasAStatus);
    }

    private List<Addressed> selected(List<Addressed> all) {
        var ofOwners =
                all.stream()
                        .filter(
                                each ->
                                        owner.accepts(
                                                each.key().teamId(),
                                                each.key().userId(),
                                                installationOf(each)))
                        .toList();
        if (!filter.isGiven()) {
            return ofOwners;
        }
        Set<Target> found;
        try (var _ = waiting("Reading the statuses")) {
            found =
                    InstanceFilter.current(connection(), filter::accepts).values().stream()
                            .map(event -> Target.of(event.origin()))
                            .collect(Collectors.toUnmodifiableSet());
        }
        return ofOwners.stream().filter(each -> found.contains(Target.of(each))).toList();
    }

    private void show(List<Addressed> selected) {
        var planned = selected.stream().map(Planned::of).toList();
        var output = output();
        if (output.isJson()) {
            planned.forEach(output::json);
            return;
        }
        output.table(
                List.of("TEAM", "USER", "INSTALLATION", "SERVER", "COMMAND"),
                planned.stream().map(Planned::cells).toList());
        warn(planned.size() + " selected; nothing was sent.");
    }

    private static boolean isOnlineIfItHasAStatus(CommandResult result) {
        var details = result.result();
        return details == null
                || details.resultingStatus() == null
                || details.resultingStatus() == ServerStatus.ONLINE;
    }
}
