package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.LetterBox;
import dev.perigee.part.CliException;
import dev.perigee.part.CommandTree;
import dev.perigee.part.Failures;
import dev.perigee.part.Logging;
import dev.perigee.part.Version;
import dev.perigee.part.gateway.GatewayCommand;
import dev.perigee.part.gateway.TopicsCommand;
import dev.perigee.part.worker.WorkerCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code perigee} command: entry point of every JVM that the launcher starts. */
@Command(
        name = "perigee",
        header = "Runs every user's MCP servers on a fleet of workers, driven by Kafka topics.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee demo",
            "  perigee dev --workers 2 --gateways 2 --kafka-port 9092",
            "  perigee apply infra/local/examples/everything.json",
            "  perigee call --team t1 --user u1 everything:echo '{\"message\":\"hi\"}'",
            "",
            "Exit codes: 0 well, 1 failed or differs, 2 no answer, 64 bad usage,"
                    + " 69 broker or worker unreachable, 70 bug."
        })
public final class Perigee implements Runnable {
    /** In the order of the help. */
    private static final List<Map.Entry<String, Class<?>>> COMMANDS =
            List.of(
                    Map.entry("demo", DemoCommand.class),
                    Map.entry("dev", DevCommand.class),
                    Map.entry("broker", BrokerCommand.class),
                    Map.entry("gateway", GatewayCommand.class),
                    Map.entry("worker", WorkerCommand.class),
                    Map.entry("topics", TopicsCommand.class),
                    Map.entry("apply", ApplyCommand.class),
                    Map.entry("delete", DeleteCommand.class),
                    Map.entry("erase", EraseCommand.class),
                    Map.entry("restart", RestartCommand.class),
                    Map.entry("recover", RecoverCommand.class),
                    Map.entry("block", BlockCommand.class),
                    Map.entry("unblock", UnblockCommand.class),
                    Map.entry("disable-tool", DisableToolCommand.class),
                    Map.entry("enable-tool", EnableToolCommand.class),
                    Map.entry("audit", AuditCommand.class),
                    Map.entry("status", StatusCommand.class),
                    Map.entry("describe", DescribeCommand.class),
                    Map.entry("top", TopCommand.class),
                    Map.entry("usage", UsageCommand.class),
                    Map.entry("call", CallCommand.class),
                    Map.entry("cancel", CancelCommand.class),
                    Map.entry("connect", ConnectCommand.class),
                    Map.entry("door", DoorCommand.class),
                    Map.entry("shell", ShellCommand.class),
                    Map.entry("trace", TraceCommand.class),
                    Map.entry("tools", ToolsCommand.class),
                    Map.entry("logs", LogsCommand.class),
                    Map.entry("events", EventsCommand.class),
                    Map.entry("dead-letters", DeadLettersCommand.class),
                    Map.entry("redrive", RedriveCommand.class),
                    Map.entry("replay", ReplayCommand.class),
                    Map.entry("recording", RecordingCommand.class),
                    Map.entry("bisect", BisectCommand.class),
                    Map.entry("backup", BackupCommand.class),
                    Map.entry("restore", RestoreCommand.class),
                    Map.entry("drain", DrainCommand.class),
                    Map.entry("upgrade", UpgradeCommand.class),
                    Map.entry("acls", AclsCommand.class),
                    Map.entry("completion", CompletionCommand.class),
                    Map.entry("reference", ReferenceCommand.class));

    @Spec private CommandSpec spec = CommandSpec.create();

    private final CallClients clients;

    Perigee() {
        this(CallClients.ONE_EACH);
    }

    private Perigee(CallClients clients) {
        this.clients = clients;
    }

    /** With which its commands make calls. */
    CallClients clients() {
        return clients;
    }

    /** Runs one command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /**
     * Runs one command.
     *
     * @param more commands that other modules add
     * @return the exit code
     */
    public static int run(String[] arguments, Object... more) {
        Logging.configure(arguments);
        var commandLine = commandLine(arguments, CallClients.ONE_EACH);
        for (var command : more) {
            commandLine.addSubcommand(command);
        }
        return commandLine.execute(arguments);
    }

    /** The whole command tree, writing to standard output and error. */
    static CommandLine commandLine() {
        return commandLine(new String[0], CallClients.ONE_EACH);
    }

    /** As much of it as the arguments need: a part that starts does not wait for the others'. */
    static CommandLine commandLine(String[] arguments, CallClients clients) {
        var named = arguments.length == 0 ? "" : arguments[0];
        boolean known = COMMANDS.stream().anyMatch(command -> command.getKey().equals(named));
        var needed =
                COMMANDS.stream()
                        .filter(command -> !known || command.getKey().equals(named))
                        .map(Map.Entry::getValue)
                        .toList();
        return CommandTree.of(new Perigee(clients), needed, Perigee::failed);
    }

    private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
        return Failures.execution(
                failure instanceof LetterBox.TooManyException many
                        ? CliException.usage(
                                many.getMessage()
                                        + " Narrow it, for example with --since and --until.")
                        : failure,
                command,
                parsed);
    }

    /** The same tree, writing elsewhere and without colours; for tests. */
    public static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        return commandLine().setOut(out).setErr(err).setColorScheme(plain());
    }

    private static CommandLine.Help.ColorScheme plain() {
        return CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Which command? There are "
                        + spec.subcommands().entrySet().stream()
                                .filter(
                                        entry ->
                                                !entry.getValue()
                                                        .getCommandSpec()
                                                        .usageMessage()
                                                        .hidden())
                                .map(Map.Entry::getKey)
                                .collect(Collectors.joining(", ")));
    }
}
