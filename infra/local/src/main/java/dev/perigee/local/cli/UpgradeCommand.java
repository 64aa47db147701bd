package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ClientCommand;
import dev.perigee.part.ExitCode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Replaces every worker, then every gateway, one at a time. */
@Command(
        name = "upgrade",
        header = "Replace the workers, then the gateways of a fleet, one at a time.",
        description = {
            "For each part it runs your command, and goes on when the fleet is whole again: a worker"
                    + " is drained first, then must be heard of as a new process, be ready, serve"
                    + " partitions again and start none of its servers any more; a gateway must be"
                    + " a new process; and every gateway must be ready, so that all links are up"
                    + " and all partitions served.",
            "",
            "Exits 0 when all are replaced, 1 when a part does not come back or the command fails:"
                    + " nothing after it is touched. Run it again with what is left."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee upgrade --gateway gateway-1=http://127.0.0.1:7081 \\",
            "      --replace 'docker compose up -d --no-deps {part}' --dry-run",
            "  perigee upgrade --worker worker-2 --to 0.2.0 \\",
            "      --gateway gateway-1=http://127.0.0.1:7081 --dry-run \\",
            "      --replace 'ssh {part} systemctl restart perigee-worker'"
        })
final class UpgradeCommand extends ClientCommand {
    /** Workers that were not heard of for longer are gone. */
    private static final Duration SILENCE = Duration.ofMinutes(2);

    @Option(
            names = "--replace",
            required = true,
            paramLabel = "COMMAND",
            description =
                    "What replaces one part, run by sh. {part}, and PERIGEE_PART, is the worker's"
                            + " id or the gateway's name.")
    private String replace = "";

    @Option(
            names = "--gateway",
            required = true,
            paramLabel = "NAME=URL",
            description =
                    "A gateway and its admin pages, such as gateway-1=http://10.0.0.5:7081. Name"
                            + " all of them.")
    private List<String> gateways = List.of();

    @Option(
            names = "--worker",
            paramLabel = "WORKER",
            description = "Only these workers. Without it all that are heard of.")
    private List<String> workers = List.of();

    @Option(names = "--workers-only", description = "Leave the gateways as they are.")
    private boolean workersOnly;

    @Option(names = "--gateways-only", description = "Leave the workers as they are.")
    private boolean gatewaysOnly;

    @Option(
            names = "--to",
            paramLabel = "VERSION",
            description = "What workers must say that they are when they are back.")
    private @Nullable String version;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = DurationOption.class,
            description = "How long one step of one part may take (default 10m).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            defaultValue = "${env:PERIGEE_ADMIN_TOKEN_FILE:-" + Option.NULL_VALUE + "}",
            description =
                    "File with the parts' admin.token (PERIGEE_ADMIN_TOKEN_FILE, or the token"
                            + " itself in PERIGEE_ADMIN_TOKEN).")
    private @Nullable Path tokenFile;

    @Option(names = "--dry-run", description = "Show what would be run, and run nothing.")
    private boolean dryRun;

    @Override
    public Integer call() throws InterruptedException {
        if (timeout.isZero()) {
            throw CliException.usage("--timeout must be longer than 0");
        }
        if (workersOnly && gatewaysOnly) {
            throw CliException.usage("--workers-only and --gateways-only leave nothing to do");
        }
        var named = named();
        var token = AdminToken.of(tokenFile, System.getenv("PERIGEE_ADMIN_TOKEN"));
        var replacement = new PartReplacement(replace, this::warn);
        try (var fleet = view();
                var pages = new PartPages(token)) {
            var chosen = gatewaysOnly ? List.<String>of() : chosen(fleet);
            var steps = workersOnly ? List.<String>of() : List.copyOf(named.keySet());
            if (dryRun) {
                show(chosen, steps, replacement);
                return ExitCode.OK;
            }
            var upgrade =
                    new Upgrade(
                            fleet,
                            pages,
                            token,
                            named,
                            replacement,
                            version,
                            timeout,
                            output(),
                            this::warn);
            upgrade.run(chosen, steps);
            return ExitCode.OK;
        }
    }

    private WorkerHeartbeats view() {
        try (var _ = waiting("Looking for the workers in the heartbeats")) {
            return WorkerHeartbeats.open(connection());
        }
    }

    private Map<String, URI> named() {
        var named = new TreeMap<String, URI>();
        for (var each : gateways) {
            int end = each.indexOf('=');
            try {
                var admin = URI.create(each.substring(end + 1));
                if (end > 0 && admin.getHost() != null) {
                    named.put(each.substring(0, end), admin);
                    continue;
                }
            } catch (IllegalArgumentException e) {
                // Said below.
            }
            throw CliException.usage("--gateway " + each + ": write it as NAME=http://HOST:PORT");
        }
        return named;
    }

    private List<String> chosen(WorkerHeartbeats fleet) {
        var living = fleet.since(Instant.now().minus(SILENCE)).keySet();
        if (living.isEmpty()) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "No worker was heard of for " + SILENCE.toMinutes() + " minutes");
        }
        if (workers.isEmpty()) {
            return List.copyOf(living);
        }
        var chosen = new ArrayList<String>();
        for (var each : workers) {
            var id = WorkerLookup.full(each, living);
            if (!living.contains(id)) {
                throw CliException.usage(
                        "Worker %s was not heard of for %d minutes; there are %s"
                                .formatted(id, SILENCE.toMinutes(), String.join(", ", living)));
            }
            chosen.add(id);
        }
        return chosen;
    }

    private void show(List<String> workers, List<String> gateways, PartReplacement replacement) {
        for (var part : workers) {
            step(part, "drain, then: " + replacement.of(part));
        }
        for (var part : gateways) {
            step(part, replacement.of(part));
        }
    }

    private void step(String part, String what) {
        if (output().isJson()) {
            output().json(new Upgrade.Step(part, what));
        } else {
            output().line(part + ": " + what);
        }
    }
}
