package dev.perigee.bench.boundary;

import dev.perigee.bench.fleet.EchoProgram;
import dev.perigee.bench.fleet.Users;
import dev.perigee.bench.report.BenchProgress;
import dev.perigee.bench.stat.Spread;
import dev.perigee.local.fleet.PartFailedException;
import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures what the boundary around a server costs: the same server in a fleet of each kind, all at
 * once, and each start and each round of calls by turns, so that a machine that slows down does so
 * for all. Used by one thread.
 */
public final class BoundaryBench {
    private static final Duration WARMUP = Duration.ofSeconds(2);

    private final BoundaryPlan plan;
    private final BenchProgress progress;
    private final Map<Boundary, BoundedFleet> fleets = new EnumMap<>(Boundary.class);
    private final List<Double> added = new ArrayList<>();

    private BoundaryBench(BoundaryPlan plan, BenchProgress progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** How long it takes, about. */
    public static double seconds(BoundaryPlan plan) {
        int kinds = Boundary.values().length;
        return kinds
                * (6
                        + BenchProgress.seconds(WARMUP)
                        + plan.starts() * 1.25 * 0.06
                        + plan.rounds() * BenchProgress.seconds(plan.time()));
    }

    /**
     * All kinds; null, and a line that says why, where there are no jails.
     *
     * @param server a single file, which is shown in jails
     */
    public static @Nullable BoundaryFindings run(
            BoundaryPlan plan, EchoProgram server, BenchProgress progress)
            throws IOException, InterruptedException {
        if (server.line().size() > 1) {
            progress.note("Without the boundary: its server is the one of C, which needs cc");
            return null;
        }
        var bench = new BoundaryBench(plan, progress);
        try {
            return bench.start(server) ? bench.measure() : null;
        } finally {
            bench.fleets.values().forEach(BoundedFleet::close);
        }
    }

    /** The most demanding first: where it does not start none is measured. */
    private boolean start(EchoProgram server) throws IOException, InterruptedException {
        for (var boundary : List.of(Boundary.values()).reversed()) {
            progress.step("Starting a fleet: " + boundary.label(), 6);
            try {
                fleets.put(boundary, BoundedFleet.start(boundary, server, progress::note));
            } catch (PartFailedException e) {
                progress.note(
                        "Without the boundary, for which bubblewrap has to work here: %s with %s"
                                .formatted(e.getMessage(), boundary.label()));
                return false;
            }
        }
        return true;
    }

    private BoundaryFindings measure() throws IOException, InterruptedException {
        int first = Math.max(1, plan.starts() / 4);
        var users = Users.first(first + plan.starts());
        progress.step("Warming up", fleets.size() * BenchProgress.seconds(WARMUP));
        starts(users.subList(0, first));
        for (var fleet : fleets.values()) {
            fleet.call(users.getFirst(), WARMUP);
            fleet.begin();
        }
        added.clear();
        progress.step("Starting instances by turns", fleets.size() * plan.starts() * 0.06);
        starts(users.subList(first, users.size()));
        fleets.values().forEach(fleet -> fleet.weigh(plan.starts()));
        for (int round = 0; round < plan.rounds(); round++) {
            progress.step("Calling", fleets.size() * BenchProgress.seconds(plan.time()));
            for (var fleet : turn(round)) {
                fleet.call(users.getFirst(), plan.time());
            }
        }
        var rows = new LinkedHashMap<String, BoundaryRow>();
        fleets.forEach((boundary, fleet) -> rows.put(boundary.field(), fleet.row()));
        return new BoundaryFindings(rows, Spread.of(added));
    }

    private void starts(List<RecordKey> users) throws IOException, InterruptedException {
        int number = 0;
        for (var user : users) {
            for (var fleet : turn(number++)) {
                fleet.install(user);
            }
            added.add(last(Boundary.FULL) - last(Boundary.HOST_NETWORK));
        }
    }

    private double last(Boundary boundary) {
        var fleet = fleets.get(boundary);
        if (fleet == null) {
            throw new IllegalStateException("No fleet of " + boundary);
        }
        return fleet.lastStartOverBare();
    }

    /** All, each time another one first. */
    private List<BoundedFleet> turn(int number) {
        var all = new ArrayList<>(fleets.values());
        Collections.rotate(all, number);
        return all;
    }
}
