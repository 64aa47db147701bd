package dev.perigee.part;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaRefusedException;
import dev.perigee.client.MissingTopicException;
import dev.perigee.protocol.settings.InvalidSettingsException;
import dev.perigee.protocol.topic.TopicNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns everything that can go wrong into one line on standard error and an exit code. */
public final class Failures {
    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /** Of options and arguments that are no good. */
    public static int usage(ParameterException failure, String[] arguments) {
        var command = failure.getCommandLine();
        var message = new StringBuilder(oneLine(text(failure)));
        if (failure instanceof UnmatchedArgumentException unmatched) {
            if (command.getParent() == null && !unmatched.isUnknownOption()) {
                message.setLength(0);
                message.append("Unknown command '")
                        .append(unmatched.getUnmatched().getFirst())
                        .append('\'');
            }
            var similar = unmatched.getSuggestions();
            if (!similar.isEmpty()) {
                message.append(". Did you mean ").append(similar.getFirst()).append('?');
            }
        }
        return say(
                command,
                message + " (see " + command.getCommandSpec().qualifiedName() + " --help)",
                ExitCode.USAGE);
    }

    /** Of a command that ran. */
    public static int execution(Exception failure, CommandLine command, ParseResult parsed) {
        log.atDebug().setCause(failure).log("The command failed");
        return switch (failure) {
            case ParameterException usage -> usage(usage, new String[0]);
            case CliException known -> say(command, text(known), known.exitCode());
            case InvalidSettingsException invalid -> say(command, text(invalid), ExitCode.USAGE);
            case BrokerUnreachableException unreachable ->
                    say(
                            command,
                            text(unreachable)
                                    + " Start one with 'perigee dev', or name yours with"
                                    + " --bootstrap HOST:PORT.",
                            ExitCode.UNAVAILABLE);
            case KafkaRefusedException refused ->
                    say(
                            command,
                            oneLine(text(refused))
                                    + (refused.isOurConfiguration()
                                            ? " Correct the --kafka-config file."
                                            : ""),
                            refused.isOurConfiguration() ? ExitCode.USAGE : ExitCode.FAILED);
            case MissingTopicException missing ->
                    say(
                            command,
                            text(missing)
                                    + " Create the topics with 'perigee topics"
                                    + (missing.prefix().equals(TopicNames.DEFAULT_PREFIX)
                                            ? ""
                                            : " --prefix " + missing.prefix())
                                    + "', or name the right ones with --prefix.",
                            ExitCode.UNAVAILABLE);
            case InterruptedException interrupted -> ExitCode.INTERRUPTED;
            default ->
                    say(
                            command,
                            oneLine("Unexpected failure: " + failure)
                                    + " (PERIGEE_LOG_LEVEL=debug shows more)",
                            ExitCode.INTERNAL);
        };
    }

    private static int say(CommandLine command, String message, int exitCode) {
        var spec = command.getCommandSpec();
        Printer.err(spec).block(spec.qualifiedName() + ": " + message);
        return exitCode;
    }

    private static String text(Exception failure) {
        var message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }

    private static String oneLine(String text) {
        return text.lines()
                .map(String::strip)
                .reduce((left, right) -> left + " " + right)
                .orElse("");
    }
}
