package dev.perigee.testing.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code perigee drain} on workers of a fleet. For one thread. */
public final class Drains {
    private static final Duration ENDS = Duration.ofSeconds(10);

    private final FleetUnderTest fleet;
    private int runs;

    public Drains(FleetUnderTest fleet) {
        this.fleet = fleet;
    }

    /** Runs it at the worker's own address, with more arguments such as {@code --undo}. */
    public Part of(int worker, String... more) {
        return fleet.start("drain-" + ++runs, arguments(worker, more));
    }

    /** Takes a drain back, if there is one, and the worker does not end by itself meanwhile. */
    public void undo(int worker) {
        var part = fleet.part("worker-" + worker);
        var ran = Ran.here(arguments(worker, "--undo"));
        if (ran.exitCode() != 0
                && !ran.output().contains("is stopping")
                && !part.endsWithin(ENDS)) {
            throw new AssertionError("The drain was not taken back:\n" + ran.output());
        }
    }

    private List<String> arguments(int worker, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "drain",
                                fleet.workerId(worker),
                                "--admin",
                                fleet.part("worker-" + worker).field("admin")));
        arguments.addAll(List.of(more));
        return arguments;
    }
}
