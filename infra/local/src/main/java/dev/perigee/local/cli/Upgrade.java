package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Output;
import dev.perigee.protocol.event.Heartbeat;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces parts one at a time; the fleet is whole between two of them. Every wait is for what the
 * parts say, and ends with a {@link CliException} after the timeout. One thread.
 */
final class Upgrade {
    private static final Duration LIVING = Duration.ofMinutes(2);

    private final WorkerHeartbeats fleet;
    private final PartPages pages;
    private final @Nullable String token;
    private final Map<String, URI> gateways;
    private final PartReplacement replacement;
    private final @Nullable String version;
    private final Duration timeout;
    private final Output output;
    private final Consumer<String> warn;

    /** One line of the report. */
    record Step(String part, String step) {}

    /** Says what is missing, null when nothing is. */
    private interface Condition {
        @Nullable String missing() throws InterruptedException;
    }

    /**
     * @param gateways admin pages of all gateways, by name
     * @param version what workers must have when they are back, null for any
     * @param timeout of each step
     */
    Upgrade(
            WorkerHeartbeats fleet,
            PartPages pages,
            @Nullable String token,
            Map<String, URI> gateways,
            PartReplacement replacement,
            @Nullable String version,
            Duration timeout,
            Output output,
            Consumer<String> warn) {
        this.fleet = fleet;
        this.pages = pages;
        this.token = token;
        this.gateways = Map.copyOf(gateways);
        this.replacement = replacement;
        this.version = version;
        this.timeout = timeout;
        this.output = output;
        this.warn = warn;
    }

    /** Replaces these workers, then these gateways. */
    void run(List<String> workers, List<String> gatewayNames) throws InterruptedException {
        workers.forEach(replacement::of);
        gatewayNames.forEach(replacement::of);
        if (!workers.isEmpty() && living() < 2) {
            throw new CliException(
                    ExitCode.FAILED,
                    "There is one worker only, so nothing can leave it: start another one first");
        }
        await("The fleet", this::gatewaysMissing);
        for (int i = 0; i < workers.size(); i++) {
            say(workers.get(i), "worker %d of %d".formatted(i + 1, workers.size()));
            worker(workers.get(i));
        }
        for (int i = 0; i < gatewayNames.size(); i++) {
            say(gatewayNames.get(i), "gateway %d of %d".formatted(i + 1, gatewayNames.size()));
            gateway(gatewayNames.get(i));
        }
        say("fleet", "all parts are replaced");
    }

    private void worker(String id) throws InterruptedException {
        var old = Objects.requireNonNull(fleet.worker(id), id);
        int served;
        try (var page = WorkerAdmin.at(id, admin(old), token)) {
            var before = page.progress();
            // One that a run before this left drained serves nothing, and is to have its share.
            served =
                    before.phase().equals("serving")
                            ? before.partitions().size()
                            : Integer.MAX_VALUE;
            if (new DrainReport(id, output, warn).follow(page, timeout) != ExitCode.OK) {
                throw new CliException(
                        ExitCode.FAILED,
                        id
                                + " is not drained, so it was not replaced; nothing after it was touched");
            }
        }
        replaceDrained(id);
        say(id, "the command has ended");
        await(id, () -> comebackMissing(id, old.incarnation()));
        var now = Objects.requireNonNull(fleet.worker(id), id);
        if (version != null && !version.equals(now.version())) {
            throw new CliException(
                    ExitCode.FAILED,
                    "%s is back with version %s, not %s; nothing after it was touched"
                            .formatted(id, now.version(), version));
        }
        say(id, "is back with version " + now.version());
        await(id, () -> settlingMissing(id, served));
        await("The fleet", this::gatewaysMissing);
        say(id, "is replaced");
    }

    private void replaceDrained(String id) throws InterruptedException {
        try {
            replacement.run(id, timeout);
        } catch (CliException e) {
            throw new CliException(
                    e.exitCode(),
                    "%s. %s is drained: where it still runs, replace it or take that back by 'perigee drain %s --undo'"
                            .formatted(e.getMessage(), id, id));
        }
    }

    private void gateway(String name) throws InterruptedException {
        var admin = Objects.requireNonNull(gateways.get(name), name);
        var before = pages.started(admin);
        if (before == null) {
            throw new CliException(
                    ExitCode.FAILED,
                    "%s does not show its metrics at %s, by which it is known as a new process"
                            .formatted(name, admin));
        }
        replacement.run(name, timeout);
        say(name, "the command has ended");
        await(
                name,
                () -> {
                    var now = pages.started(admin);
                    return now == null
                            ? "it does not answer at " + admin
                            : now.equals(before) ? "it is still the same process" : null;
                });
        say(name, "is back");
        await("The fleet", this::gatewaysMissing);
        say(name, "is replaced");
    }

    private @Nullable String comebackMissing(String id, String incarnation) {
        var heartbeat = fleet.worker(id);
        if (heartbeat == null || heartbeat.incarnation().equals(incarnation)) {
            return "no heartbeat of a new process of it";
        }
        return heartbeat.status().equals("running") ? null : "it is " + heartbeat.status();
    }

    /** Ready, serving at least half of a fair share, and no process on its way. */
    private @Nullable String settlingMissing(String id, int before) throws InterruptedException {
        var heartbeat = Objects.requireNonNull(fleet.worker(id), id);
        var admin = admin(heartbeat);
        var obstacle = pages.obstacle(admin);
        if (obstacle != null) {
            return obstacle;
        }
        int serves;
        try (var page = WorkerAdmin.at(id, admin, token)) {
            serves = page.progress().partitions().size();
        } catch (CliException e) {
            return "it does not say at " + admin + " what it serves"; // Not yet, or not now.
        }
        int share = Math.min(before, partitions(id, serves) / Math.max(1, running()));
        if (serves < (share + 1) / 2) {
            return "it serves %d partitions again, its share is %d".formatted(serves, share);
        }
        int starting = pages.starting(admin);
        return starting > 0 ? starting + " of its processes start" : null;
    }

    /** All partitions: those of one worker as it says now, of others as they were heard of. */
    private int partitions(String id, int serves) {
        return serves
                + heard().entrySet().stream()
                        .filter(each -> !each.getKey().equals(id))
                        .mapToInt(each -> each.getValue().partitions().size())
                        .sum();
    }

    private @Nullable String gatewaysMissing() throws InterruptedException {
        for (var gateway : gateways.entrySet()) {
            var obstacle = pages.obstacle(gateway.getValue());
            if (obstacle != null) {
                return gateway.getKey() + " is not ready: " + obstacle;
            }
        }
        return null;
    }

    private void await(String who, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        String told = null;
        for (var missing = condition.missing(); missing != null; missing = condition.missing()) {
            if (System.nanoTime() - end > 0) {
                throw new CliException(
                        ExitCode.FAILED,
                        "%s is not whole within %d s: %s; nothing after it was touched"
                                .formatted(who, timeout.toSeconds(), missing));
            }
            if (!missing.equals(told)) {
                told = missing;
                warn.accept(who + ": waiting, " + missing);
            }
            fleet.poll();
        }
    }

    private Map<String, Heartbeat> heard() {
        return fleet.since(Instant.now().minus(LIVING));
    }

    private int living() {
        return heard().size();
    }

    private int running() {
        return (int)
                heard().values().stream().filter(each -> each.status().equals("running")).count();
    }

    private static URI admin(Heartbeat heartbeat) {
        var admin = heartbeat.adminUrl();
        if (admin == null) {
            throw new CliException(
                    ExitCode.FAILED,
                    "Worker %s does not tell where its admin pages are"
                            .formatted(heartbeat.workerId()));
        }
        return admin;
    }

    private void say(String part, String step) {
        if (output.isJson()) {
            output.json(new Step(part, step));
        } else {
            output.line(part + ": " + step);
        }
    }
}
