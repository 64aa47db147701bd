package dev.perigee.local.cli;

import dev.perigee.client.InputHandler;
import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Calls a tool and prints the answer. */
@Command(
        name = "call",
        header = "Call a tool and print the answer.",
        description = "Exits 0 on success, 1 when the tool says error, 2 when there is no answer.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee call --team t1 --user u1 everything:echo '{\"message\":\"hi\"}'",
            "  perigee call --team t1 --user u1 --method resources/list everything",
            "  perigee call --team t1 --user u1 everything:get-sum - < arguments.json",
            "  perigee call --team t1 --user u1 --progress --timeout 1m \\",
            "      everything:trigger-long-running-operation",
            "  perigee call --team t1 --user u1 --ask everything:echo '{\"message\":\"hi\"}'",
            "  perigee call --team t1 --user u1 --answer answer.json \\",
            "      everything:echo '{\"message\":\"hi\"}'"
        })
final class CallCommand extends ClientCommand {
    /** How long the answer may take to come back after the deadline of the call itself. */
    private static final Duration RETURN = Duration.ofSeconds(5);

    /** How long all questions of a call may wait unless the operator chose otherwise. */
    private static final Duration QUESTIONS = Duration.ofHours(1);

    @ParentCommand private Perigee perigee = new Perigee();

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
                    "tools/call (default), resources/list, resources/templates/list,"
                            + " resources/read, resources/subscribe, resources/unsubscribe,"
                            + " prompts/list, prompts/get, completion/complete, tasks/get,"
                            + " tasks/list, tasks/cancel.")
    private String method = "";

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "30s",
            converter = DurationOption.class,
            description = "How long the call may take (default 30s).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--progress",
            description = "Show on stderr how far the call is and what its server logs.")
    private boolean progress;

    @Option(
            names = "--extend",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "With --progress: by each progress the call may take so much longer.")
    private @Nullable Duration extend;

    @Option(
            names = "--max-timeout",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "With --extend: how long the call may take at most (default 1h).")
    private @Nullable Duration maxTimeout;

    @Option(
            names = "--task",
            description =
                    "Have the call run as a task where its server can, and show on stderr how it is.")
    private boolean task;

    @Option(
            names = "--ask",
            description =
                    "Ask on the terminal what the server wants to know, where the fleet lets servers"
                            + " ask.")
    private boolean ask;

    @Option(
            names = "--answer",
            paramLabel = "FILE",
            description =
                    "Answer what the server wants to know from a JSON file: one response, such as"
                            + " {\"action\":\"accept\",\"content\":{}}, or an array of them.")
    private @Nullable Path answers;

    @Option(
            names = "--input-timeout",
            paramLabel = "DURATION",
            converter = DurationOption.class,
            description = "With --ask or --answer: how long a question may wait (default 5m).")
    private @Nullable Duration inputTimeout;

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
        var limit = longest().plus(RETURN);
        try (var _ = waiting("Waiting for the answer, at most " + limit.toSeconds() + " s")) {
            var handler = handler();
            var answer =
                    progress || task || isAsked()
                            ? ToolAnswer.await(
                                    perigee.clients(),
                                    connection(),
                                    request,
                                    limit,
                                    this::show,
                                    handler)
                            : ToolAnswer.await(perigee.clients(), connection(), request, limit);
            return ToolAnswer.print(answer, output(), this::warn);
        }
    }

    private boolean isAsked() {
        return ask || answers != null;
    }

    private InputHandler handler() {
        if (answers != null) {
            return InputFile.read(answers, this::warn);
        }
        return ask
                ? new InputPrompt(
                        new BufferedReader(
                                new InputStreamReader(System.in, Charset.defaultCharset())),
                        this::warn)
                : _ -> null;
    }

    private Duration longest() {
        return isAsked() ? longestByProgress().plus(QUESTIONS) : longestByProgress();
    }

    private Duration longestByProgress() {
        if (extend == null) {
            return timeout;
        }
        var most =
                maxTimeout == null
                        ? Duration.ofMillis(ToolRequest.DEFAULT_MAX_TIMEOUT_MS)
                        : maxTimeout;
        return most.compareTo(timeout) < 0 ? timeout : most;
    }

    private void show(EventBody event) {
        if (event instanceof EventBody.CallProgress it) {
            warn(
                    "progress %s%s%s"
                            .formatted(
                                    number(it.progress()),
                                    it.total() == null ? "" : "/" + number(it.total()),
                                    it.message() == null ? "" : " " + it.message()));
        } else if (event instanceof EventBody.CallLog it) {
            warn(it.level() + ": " + (it.data() == null ? "" : it.data().text()));
        } else if (event instanceof EventBody.CallTask it) {
            warn(
                    "task %s%s"
                            .formatted(
                                    it.status(),
                                    it.statusMessage() == null ? "" : ": " + it.statusMessage()));
        }
    }

    /** What of the running call is to be shown; null for nothing. */
    private @Nullable List<String> accepted() {
        var parts = new ArrayList<String>();
        if (progress) {
            parts.addAll(List.of(CallPart.PROGRESS.wireName(), CallPart.LOG.wireName()));
        }
        if (task) {
            parts.add(CallPart.TASK.wireName());
        }
        return parts.isEmpty() ? null : parts;
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private void requireOptions() {
        if (timeout.isZero()) {
            throw CliException.usage("--timeout must be longer than 0");
        }
        if (!progress && extend != null) {
            throw CliException.usage("--extend needs --progress");
        }
        if (ask && (answers != null || arguments.equals("-"))) {
            throw CliException.usage("--ask reads the terminal: neither --answer nor - go with it");
        }
        if (!isAsked() && inputTimeout != null) {
            throw CliException.usage("--input-timeout needs --ask or --answer");
        }
        if (extend == null && maxTimeout != null) {
            throw CliException.usage("--max-timeout needs --extend");
        }
        var known = ToolMethod.of(method);
        if (known == null || !known.needsServer()) {
            throw CliException.usage(
                    "--method "
                            + method
                            + " is not for a server: take tools/call, resources/list,"
                            + " resources/templates/list, resources/read, resources/subscribe,"
                            + " resources/unsubscribe, prompts/list, prompts/get,"
                            + " completion/complete, tasks/get, tasks/list or tasks/cancel;"
                            + " tools are listed and searched by 'perigee tools'");
        }
    }

    private ToolRequest request() {
        requireOptions();
        try {
            if (method.equals(ToolMethod.TOOLS_CALL.wireName())
                    && ToolPath.parse(path).name() == null) {
                throw CliException.usage("'" + path + "' names no tool, write SLUG:TOOL");
            }
            var request =
                    new ToolRequest(
                            "cli-" + UUID.randomUUID(),
                            team,
                            user,
                            method,
                            path,
                            installation,
                            argumentsAsJson(),
                            timeout.toMillis(),
                            null,
                            null,
                            accepted(),
                            null,
                            null,
                            extend == null ? null : extend.toMillis(),
                            maxTimeout == null ? null : maxTimeout.toMillis());
            var asked =
                    isAsked()
                            ? request.acceptingInput(
                                    inputTimeout == null ? null : inputTimeout.toMillis())
                            : request;
            asked.requireLimits();
            return asked;
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
