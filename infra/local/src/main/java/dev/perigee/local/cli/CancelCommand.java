package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Cancels a call that runs. */
@Command(
        name = "cancel",
        header = "Cancel a call that runs.",
        description =
                "Exits 0 when the call ended as cancelled, 1 when it ended otherwise, 2 when it did"
                        + " not end meanwhile.",
        footerHeading = "%nExamples:%n",
        footer = "  perigee cancel --team t1 --user u1 cli-5f0c2a9e")
final class CancelCommand extends ClientCommand {
    @ParentCommand private Perigee perigee = new Perigee();

    @Option(names = "--team", paramLabel = "ID", required = true, description = "The team's id.")
    private String team = "";

    @Option(names = "--user", paramLabel = "ID", required = true, description = "The user's id.")
    private String user = "";

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = DurationOption.class,
            description = "How long to wait for the call's end (default 10s).")
    private Duration wait = Duration.ZERO;

    @Parameters(paramLabel = "REQUEST", description = "The call's request id.")
    private String requestId = "";

    @Override
    public Integer call() throws InterruptedException {
        if (wait.isZero()) {
            throw CliException.usage("--wait must be longer than 0");
        }
        try (var _ = waiting("Waiting for the call's end, at most " + wait.toSeconds() + " s")) {
            var answer = ToolAnswer.await(perigee.clients(), connection(), request(), wait);
            if (answer == null) {
                warn(
                        "The call did not end meanwhile: it had ended before, or there is none of"
                                + " this id. 'perigee trace "
                                + requestId
                                + "' says what is known.");
                return ExitCode.NO_ANSWER;
            }
            var output = output();
            var error = answer.error();
            if (output.isJson()) {
                output.json(answer);
            } else if (error == null) {
                output.line("The call had ended: " + lower(answer.outcome()));
            } else {
                output.line(lower(error.code()) + ": " + error.message());
            }
            return error != null && error.code() == ErrorCode.CANCELLED
                    ? ExitCode.OK
                    : ExitCode.FAILED;
        }
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private ToolRequest request() {
        try {
            return ToolRequest.cancel(requestId, new RecordKey(team, user));
        } catch (InvalidRecordException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }
}
