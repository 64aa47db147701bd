package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Calls a tool and prints the answer. */
@Command(
        name = "call",
        header = "Call a tool and print the answer.",
        description = "Exits 0 on success, 1 when the tool says error, 2 when there is no answer.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee call --team t1 --user u1 everything:echo '{\"message\":\"hi\"}'",
            "  perigee call --team t1 --user u1 --method resources/list everything",
            "  perigee call --team t1 --user u1 everything:get-sum - < arguments.json"
        })
final class CallCommand extends ClientCommand {
    /** How long the answer may take to come back after the deadline of the call itself. */
    private static final Duration RETURN = Duration.ofSeconds(5);

    @Option(names = "--team", paramLabel = "ID", required = true, description = "The team's id.")
    private String team = "";

    @Option(names = "--user", paramLabel = "ID", required = true, description = "The user's id.")
    private String user = "";

    @Option(
            names = "--installation",
            paramLabel = "ID",
            description = "Needed where the user has two installations of one server.")
    private @Nullable String installation;

    @Option(
            names = "--method",
            paramLabel = "METHOD",
            defaultValue = "tools/call",
            description =
                    "tools/call (default), resources/list, resources/read, prompts/list,"
                            + " prompts/get.")
    private String method = "";

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "30s",
            converter = DurationOption.class,
            description = "How long the call may take (default 30s).")
    private Duration timeout = Duration.ZERO;

    @Parameters(index = "0", paramLabel = "SLUG:TOOL", description = "The server and its tool.")
    private String path = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "JSON",
            defaultValue = "{}",
            description = "The arguments, an object; - reads them from stdin.")
    private String arguments = "";

    @Override
    public Integer call() throws InterruptedException {
        var request = request();
        var limit = timeout.plus(RETURN);
        try (var _ = waiting("Waiting for the answer, at most " + limit.toSeconds() + " s")) {
            var answer = ToolAnswer.await(connection(), request, limit);
            return ToolAnswer.print(answer, output(), this::warn);
        }
    }

    private ToolRequest request() {
        if (timeout.isZero()) {
            throw CliException.usage("--timeout must be longer than 0");
        }
        var known = ToolMethod.of(method);
        if (known == null || !known.needsServer()) {
            throw CliException.usage(
                    "--method "
                            + method
                            + " is not for a server: take tools/call, resources/list,"
                            + " resources/read, prompts/list or prompts/get; tools are listed and"
                            + " searched by 'perigee tools'");
        }
        try {
            if (method.equals(ToolMethod.TOOLS_CALL.wireName())
                    && ToolPath.parse(path).name() == null) {
                throw CliException.usage("'" + path + "' names no tool, write SLUG:TOOL");
            }
            return new ToolRequest(
                    "cli-" + UUID.randomUUID(),
                    team,
                    user,
                    method,
                    path,
                    installation,
                    argumentsAsJson(),
                    timeout.toMillis(),
                    null,
                    null);
        } catch (InvalidRecordException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private RawJson argumentsAsJson() {
        try {
            var text =
                    arguments.equals("-")
                            ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                            : arguments;
            if (!Json.tree(text.getBytes(StandardCharsets.UTF_8)).isObject()) {
                throw CliException.usage("The arguments must be a JSON object");
            }
            return RawJson.of(text);
        } catch (InvalidRecordException e) {
            throw CliException.usage("The arguments are no JSON: " + e.getMessage());
        } catch (IOException e) {
            throw CliException.usage("Standard input cannot be read");
        }
    }
}
