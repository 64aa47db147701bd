package dev.perigee.testing.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs {@code perigee drain} on workers of a fleet. For one thread. */
public final class Drains {
    private static final Duration ENDS = Duration.ofSeconds(10);
    private static final String NOBODY = "127.0.0.1:1";

    private final FleetUnderTest fleet;
    private final String bootstrap;
    private int runs;

    private Drains(FleetUnderTest fleet, String bootstrap) {
        this.fleet = fleet;
        this.bootstrap = bootstrap;
    }

    public Drains(FleetUnderTest fleet) {
        this(fleet, fleet.bootstrap());
    }

    /** Those that look for a broker in vain, for a fleet whose broker may be away. */
    public static Drains withoutBroker(FleetUnderTest fleet) {
        return new Drains(fleet, NOBODY);
    }

    /** Runs it at the worker's own address, with more arguments such as {@code --undo}. */
    public Part of(int worker, String... more) {
        return fleet.start("drain-" + ++runs, arguments(worker, more));
    }

    /** The same in this JVM, to its end. */
    InProcessRun here(int worker, String... more) {
        return InProcessRun.here(arguments(worker, more));
    }

    /** Takes a drain back, if there is one, and the worker does not end by itself meanwhile. */
    public void undo(int worker) {
        var part = fleet.part("worker-" + worker);
        var ran = here(worker, "--undo");
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
                                fleet.part("worker-" + worker).field("admin"),
                                "--bootstrap",
                                bootstrap));
        arguments.addAll(List.of(more));
        return arguments;
    }
}
