package dev.perigee.local.cli;

import dev.perigee.client.CommandRun;
import dev.perigee.client.CommandRun.Addressed;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.audit.AuditTarget;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Sends commands, shows what happens, and judges the results. */
abstract class SendingCommand extends ClientCommand {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Option(
            names = "--deadline",
            paramLabel = "DURATION",
            defaultValue = "2m",
            converter = DurationOption.class,
            description =
                    "How long to wait for the results, and the commands' expiry (default 2m).")
    private Duration deadline = Duration.ZERO;

    private @Nullable AuditNotes noted;

    final Commands commands(boolean keepIds) {
        return new Commands(InstantSource.system(), deadline, keepIds);
    }

    /** What is recorded of the commands before they are sent; null where nothing is. */
    @Nullable AuditNotes notes() {
        return null;
    }

    /** The tool that the commands are about, null for none. */
    @Nullable String tool() {
        return null;
    }

    private AuditRecord note(AuditNotes notes, Addressed addressed) {
        var key = addressed.key();
        return notes.of(
                addressed.command().id(),
                AuditTarget.installation(
                        key.teamId(),
                        key.userId(),
                        String.valueOf(installationOf(addressed)),
                        tool()));
    }

    /** Returns 0 when each command completed as {@code isFine} wants it, otherwise 1. */
    final int send(List<Addressed> commands, Predicate<CommandResult> isFine)
            throws InterruptedException {
        var notes = noted == null ? notes() : noted;
        noted = notes; // One request id for all that the command sends.
        if (notes != null) {
            notes.write(commands.stream().map(each -> note(notes, each)).toList());
        }
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

    /**
     * Does something to selected instances, so many at a time, and as many a second at most, but
     * not to one that the selectors do not find any more when its turn comes, and to none where
     * they find more than the target's bound. Ends where all of a time failed: what is wrong there
     * is wrong with the rest.
     *
     * @param make the command for an instance of this status
     */
    final int sendPaced(
            TargetOptions target, Function<Event, Addressed> make, Predicate<CommandResult> isFine)
            throws InterruptedException {
        List<Event> selected;
        try (var _ = waiting("Reading the statuses")) {
            selected = target.selected(connection());
        }
        if (selected.isEmpty()) {
            warn("No instance is selected.");
            return ExitCode.OK;
        }
        if (target.isDryRun()) {
            show(selected);
            return ExitCode.OK;
        }
        if (selected.size() > target.atMost()) {
            warn(
                    "%d instances are selected, more than --at-most %d: nothing was done to them."
                            .formatted(selected.size(), target.atMost()));
            return ExitCode.FAILED;
        }
        return sendPaced(
                selected, target.rate(), due -> target.still(connection(), due), make, isFine);
    }

    /**
     * Sends commands, so many at a time, and as many a second at most. Ends where all of a time
     * failed: what is wrong there is wrong with the rest.
     *
     * @param rate how many at a time, at least 1
     * @param still those of a later time that are still meant
     */
    final <T> int sendPaced(
            List<T> all,
            int rate,
            UnaryOperator<List<T>> still,
            Function<T, Addressed> make,
            Predicate<CommandResult> isFine)
            throws InterruptedException {
        var exitCode = ExitCode.OK;
        for (int at = 0; at < all.size(); at += rate) {
            long begun = System.nanoTime();
            var due = all.subList(at, Math.min(all.size(), at + rate));
            var now = at == 0 ? due : still.apply(due);
            if (now.isEmpty()) {
                continue;
            }
            var came = new AtomicInteger();
            int ended =
                    send(
                            now.stream().map(make).toList(),
                            result -> {
                                boolean fine = isFine.test(result);
                                if (fine) {
                                    came.incrementAndGet();
                                }
                                return fine;
                            });
            if (ended != ExitCode.OK) {
                exitCode = ended;
            }
            int left = all.size() - at - due.size();
            if (came.get() == 0 && left > 0) {
                warn("None of these came right: %d more are left as they are.".formatted(left));
                return exitCode;
            }
            if (left > 0) {
                long rest = SECOND_NANOS - (System.nanoTime() - begun);
                TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
            }
        }
        return exitCode;
    }

    private void show(List<Event> selected) {
        var output = output();
        if (output.isJson()) {
            selected.forEach(output::json);
            return;
        }
        output.table(StatusCommand.COLUMNS, selected.stream().map(StatusCommand::row).toList());
        warn(
                "%d selected; nothing was done to them. --at-most %d does it to no more than these."
                        .formatted(selected.size(), selected.size()));
    }

    private static Predicate<Event> concerns(List<Addressed> commands) {
        return event ->
                commands.stream()
                        .anyMatch(
                                addressed -> {
                                    var installation = installationOf(addressed);
                                    var user = addressed.key().userId();
                                    var origin = event.origin();
                                    return origin.teamId().equals(addressed.key().teamId())
                                            && (user == null || user.equals(origin.userId()))
                                            && (installation == null
                                                    || installation.equals(
                                                            origin.installationId()));
                                });
    }

    /** The installation that a command is about; null for all of the user's. */
    static @Nullable String installationOf(Addressed addressed) {
        var payload = addressed.command().payload();
        var config = payload.config();
        return config == null ? payload.installationId() : config.installationId();
    }
}
