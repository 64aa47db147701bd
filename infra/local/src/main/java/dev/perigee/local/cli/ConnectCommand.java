package dev.perigee.local.cli;

import dev.perigee.local.connect.ConnectOptions;
import dev.perigee.local.connect.McpConnection;
import dev.perigee.part.CliException;
import dev.perigee.part.ConnectionOptions;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.NumberRange;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves an MCP client that has started this process. */
@Command(
        name = "connect",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Be an MCP server on stdio whose tools are those of a user's servers.",
        description = {
            "An MCP client, such as an editor, an agent or the MCP inspector, starts it by this"
                    + " command line, and calls the tools through the fleet's topics. They are named"
                    + " server__tool. Progress, messages, questions (elicitation and sampling) and"
                    + " cancellation are passed on.",
            "",
            "Reads one JSON-RPC message a line, of 8 MiB at most, and writes nothing else to stdout."
                    + " At the end of its input it cancels the calls in flight and exits 0. Whoever"
                    + " can start it can call the user's tools."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee connect --team t1 --user u1 < requests.jsonl",
            "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | perigee connect \\",
            "      --team t1 --user u1 --installation abc123"
        })
final class ConnectCommand implements Callable<Integer> {
    @Mixin private ConnectionOptions connection = new ConnectionOptions();

    @Option(names = "--team", paramLabel = "ID", required = true, description = "The team's id.")
    private String team = "";

    @Option(names = "--user", paramLabel = "ID", required = true, description = "The user's id.")
    private String user = "";

    @Option(
            names = "--installation",
            paramLabel = "ID",
            description =
                    "Offer the tools of this one only, under the names that its server gives them"
                            + " (default: of all of the user's).")
    private @Nullable String installation;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = DurationOption.class,
            description =
                    "How long a call may take, and by each progress so much longer where the client"
                            + " follows it, up to an hour (default 5m). Clients have limits of"
                            + " their own.")
    private Duration timeout = Duration.ZERO;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        if (timeout.toMillis() < NumberRange.TIMEOUT_MS.least()
                || timeout.toMillis() > NumberRange.TIMEOUT_MS.most()) {
            throw CliException.usage("--timeout must be longer than 0, and a day at most");
        }
        new McpConnection(connection.connection(), options(), this::warn).serveStandardStreams();
        return ExitCode.OK;
    }

    private ConnectOptions options() {
        try {
            return new ConnectOptions(team, user, installation, timeout, RecordingFiles.version());
        } catch (InvalidRecordException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private void warn(String message) {
        Printer.err(spec).line(spec.qualifiedName() + ": " + message);
    }
}
