package dev.perigee.local.cli;

import dev.perigee.client.CommandRun;
import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import picocli.CommandLine.Option;

/** Sends commands, shows what happens, and judges the results. */
abstract class SendingCommand extends ClientCommand {
    @Option(
            names = "--deadline",
            paramLabel = "DURATION",
            defaultValue = "2m",
            converter = DurationOption.class,
            description =
                    "How long to wait for the results, and the commands' expiry (default 2m).")
    private Duration deadline = Duration.ZERO;

    final Commands commands(boolean keepIds) {
        return new Commands(InstantSource.system(), deadline, keepIds);
    }

    /** Returns 0 when each command completed as {@code isFine} wants it, otherwise 1. */
    final int send(List<Addressed> commands, Predicate<CommandResult> isFine)
            throws InterruptedException {
        var run = new CommandRun(connection(), concerns(commands), new CommandReport(output()));
        Map<String, CommandResult> results;
        try (var _ = waiting("Waiting for the results, at most " + deadline.toSeconds() + " s")) {
            results = run.run(commands, deadline);
        }
        var exitCode = ExitCode.OK;
        for (var addressed : commands) {
            var command = addressed.command();
            var result = results.get(command.id());
            if (result == null) {
                warn(
                        "No result of command "
                                + command.id()
                                + " within "
                                + deadline.toSeconds()
                                + " s. Do a gateway and a worker run? Their /health/ready says what"
                                + " is missing; 'perigee status' shows how far the command came.");
                exitCode = ExitCode.FAILED;
            } else if (result.outcome() != CommandOutcome.COMPLETED || !isFine.test(result)) {
                exitCode = ExitCode.FAILED;
            }
        }
        return exitCode;
    }

    private static Predicate<Event> concerns(List<Addressed> commands) {
        return event ->
                commands.stream()
                        .anyMatch(
                                addressed -> {
                                    var payload = addressed.command().payload();
                                    var config = payload.config();
                                    var installation =
                                            config == null
                                                    ? payload.installationId()
                                                    : config.installationId();
                                    var user = addressed.key().userId();
                                    var origin = event.origin();
                                    return origin.teamId().equals(addressed.key().teamId())
                                            && (user == null || user.equals(origin.userId()))
                                            && (installation == null
                                                    || installation.equals(
                                                            origin.installationId()));
                                });
    }
}
