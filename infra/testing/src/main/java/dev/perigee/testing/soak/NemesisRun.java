package dev.perigee.testing.soak;

import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Part;
import dev.perigee.testing.history.History;
import dev.perigee.testing.history.SteadyLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * One run: a fleet under load, storm after storm, each of which ends in calm, and then the
 * judgement of all that happened. Ends with the first storm after which something is wrong.
 * Whatever the fleet is, this gives a {@link Report}; what it rests on is below the plan's
 * directory:
 *
 * <ul>
 *   <li>the schedule: the storms, and how each ended
 *   <li>of {@code parts/} the output of each part
 *   <li>of {@code effects/} what tools left behind
 *   <li>the history, where something is wrong: requests, outages and records
 * </ul>
 */
public final class NemesisRun {
    /** So many that each gateway has some on each worker. */
    private static final int PARTITIONS = 32;

    private static final Duration ENDS = Duration.ofSeconds(20);
    private static final Duration PROGRESS = Duration.ofSeconds(5);
    private static final long MOST_MEBIBYTES = 640;

    private final SoakPlan plan;
    private final Consumer<String> say;
    private final List<String> violations = new ArrayList<>();
    private final List<Storm> storms = new ArrayList<>();
    private final long begin = System.nanoTime();
    private long told = begin;

    private NemesisRun(SoakPlan plan, Consumer<String> say) {
        this.plan = plan;
        this.say = say;
    }

    /**
     * Runs it.
     *
     * @param say hears what happens, line by line
     * @throws IOException when the fleet does not start, or its directory cannot be written
     */
    public static Report run(SoakPlan plan, Consumer<String> say)
            throws IOException, InterruptedException {
        Files.createDirectories(plan.directory());
        return new NemesisRun(plan, say).run();
    }

    private Report run() throws IOException, InterruptedException {
        note(plan.again());
        var effects = Files.createDirectories(plan.directory().resolve("effects"));
        try (var fleet = fleet();
                var load =
                        SteadyLoad.withCommands(fleet, effects, plan.shape().users(), plan.pace());
                var memory = Memory.watching(fleet::parts)) {
            var keeper = new Keeper(fleet, plan.shape().parts());
            var nemesis =
                    new Nemesis(
                            fleet,
                            load,
                            keeper,
                            plan.shape().times(),
                            () -> meanwhile(keeper, load),
                            this::note);
            try (var calm = new Calm(fleet, load, plan.shape(), () -> meanwhile(keeper, load))) {
                rage(nemesis, calm, load);
            } catch (RuntimeException | AssertionError e) {
                violations.add("the run broke off: " + e);
            }
            var history = load.history();
            var judgement = history.judge(nemesis.outages());
            violations.addAll(judgement.violations());
            memory.most()
                    .forEach(
                            (part, most) -> {
                                if (most >= MOST_MEBIBYTES) {
                                    violations.add(part + " took MiB of memory: " + most);
                                }
                            });
            try {
                endsWithoutOrphans(fleet);
            } catch (AssertionError e) {
                violations.add("a part does not end: " + e.getMessage());
            }
            if (!violations.isEmpty()) {
                keep(fleet, history, nemesis);
            }
            return new Report(
                    plan,
                    storms,
                    history,
                    judgement.admitted(),
                    keeper.endedAlone(),
                    memory.most(),
                    load.live().looks(),
                    load.live().longestGap(),
                    Duration.ofNanos(System.nanoTime() - begin),
                    violations);
        }
    }

    private void rage(Nemesis nemesis, Calm calm, SteadyLoad load)
            throws IOException, InterruptedException {
        var schedule = new Schedule(plan.seed(), plan.shape());
        long end = System.nanoTime() + plan.duration().toNanos();
        do {
            var storm = schedule.next();
            storms.add(storm);
            note("storm %d, %d calls so far".formatted(storm.number(), load.sent()));
            nemesis.run(storm);
            long over = System.nanoTime();
            note("  all is healed");
            for (var missing : calm.await()) {
                violations.add("after storm %d: %s".formatted(storm.number(), missing));
            }
            note("  calm after %.1f s".formatted((System.nanoTime() - over) / 1e9));
        } while (violations.isEmpty()
                && load.live().doubles().isEmpty()
                && System.nanoTime() - end < 0);
    }

    private void meanwhile(Keeper keeper, SteadyLoad load) {
        keeper.look();
        if (System.nanoTime() - told > PROGRESS.toNanos()) {
            told = System.nanoTime();
            say.accept(
                    "%6.1f s   %d asked, twins looked for %d times, seen %d times"
                            .formatted(
                                    (told - begin) / 1e9,
                                    load.sent(),
                                    load.live().looks(),
                                    load.live().doubles().size()));
        }
    }

    private FleetUnderTest fleet() throws IOException {
        return plan.shape()
                .times()
                .set(FleetUnderTest.named("nemesis"))
                .logs(plan.directory().resolve("parts"))
                .brokers(1)
                .faultyPairs()
                .partitions(PARTITIONS)
                .gateways(plan.shape().gateways())
                .workers(plan.shape().workers())
                .start();
    }

    /** Says it, and keeps it with the moment. */
    private void note(String line) {
        try {
            var schedule = plan.directory().resolve("schedule.txt");
            var noted = "%6.1f s %s%n".formatted((System.nanoTime() - begin) / 1e9, line);
            Files.writeString(
                    schedule, noted, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            say.accept(noted.stripTrailing());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void endsWithoutOrphans(FleetUnderTest fleet) {
        var parts = new TreeMap<>(fleet.parts());
        parts.keySet().retainAll(plan.shape().parts());
        parts.remove(Shape.BROKER);
        parts.values().stream().filter(Part::alive).forEach(Part::askToEnd);
        parts.forEach(
                (name, part) -> {
                    int code = part.awaitExit();
                    if (code != 0 && code != 143) {
                        violations.add(name + " ended with " + code);
                    }
                });
        long end = System.nanoTime() + ENDS.toNanos();
        while (!fleet.processesOfServers().isEmpty() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        fleet.processesOfServers()
                .forEach(process -> violations.add("orphan at the end: " + process.info()));
    }

    private void keep(FleetUnderTest fleet, History history, Nemesis nemesis) throws IOException {
        var lines = new ArrayList<String>();
        lines.add("# violations");
        lines.addAll(violations);
        lines.add("# outages");
        nemesis.outages().forEach(outage -> lines.add(outage.toString()));
        lines.add("# requests");
        history.requests().forEach(request -> lines.add(request.toString()));
        lines.add("# records: when, what");
        fleet.records()
                .matching(_ -> true)
                .forEach(
                        record ->
                                lines.add(
                                        "%d %s %s"
                                                .formatted(
                                                        record.raw().timestamp(),
                                                        record.header("ce_id"),
                                                        record)));
        Files.write(plan.directory().resolve("history.txt"), lines);
    }
}
