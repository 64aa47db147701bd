package dev.perigee.testing.soak;

import dev.perigee.faults.Condition;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;

/** Something that is done to sets of a fleet's parts for a while. Parts have their names. */
public sealed interface Fault {

    /** How long it lasts by itself; what it led to may last longer. */
    Duration lasts();

    /** The parts whose processes it is done to, which are free of others meanwhile. */
    default Set<String> processes() {
        return Set.of();
    }

    /** What it does to the network between a gateway and what that connects to. */
    default Condition between(String gateway, String other) {
        return Condition.HEALTHY;
    }

    private static boolean isBetween(
            SortedSet<String> side, SortedSet<String> rest, String one, String other) {
        return (side.contains(one) && rest.contains(other))
                || (side.contains(other) && rest.contains(one));
    }

    /** Which way a network fails, seen from the side. */
    enum Flow {
        BOTH,
        OUT,
        IN
    }

    /** How a network fails. */
    enum Loss {
        /** Connections end, and new ones are refused. */
        CLOSED,
        /** Connections are reset, and new ones are refused. */
        RESET,
        /** Nothing passes and nobody is told; what was sent meanwhile arrives afterwards. */
        SILENT,
        /** What is connected goes silent for good, and nobody is told; new connections pass. */
        FORGOTTEN
    }

    /** Nothing passes between any part of one side and any of the rest. */
    record Cut(SortedSet<String> side, SortedSet<String> rest, Flow flow, Loss loss, Duration lasts)
            implements Fault {
        @Override
        public Condition between(String gateway, String other) {
            if (!isBetween(gateway, other)) {
                return Condition.HEALTHY;
            }
            boolean out = side.contains(gateway);
            return switch (loss) {
                case CLOSED, RESET -> Condition.REFUSING;
                case SILENT ->
                        switch (flow) {
                            case BOTH -> Condition.holding(true, true);
                            case OUT -> Condition.holding(out, !out);
                            case IN -> Condition.holding(!out, out);
                        };
                case FORGOTTEN -> Condition.HEALTHY;
            };
        }

        boolean isBetween(String gateway, String other) {
            return Fault.isBetween(side, rest, gateway, other);
        }
    }

    /** All is late and little passes between any part of one side and any of the rest. */
    record Slow(
            SortedSet<String> side,
            SortedSet<String> rest,
            Duration latency,
            int pieceBytes,
            Duration lasts)
            implements Fault {
        @Override
        public Condition between(String gateway, String other) {
            return Fault.isBetween(side, rest, gateway, other)
                    ? Condition.slow(latency, pieceBytes)
                    : Condition.HEALTHY;
        }
    }

    /** SIGKILL, and another start after a while. */
    record Kill(SortedSet<String> processes, Duration lasts) implements Fault {}

    /** SIGSTOP, and SIGCONT after a while. */
    record Freeze(SortedSet<String> processes, Duration lasts) implements Fault {}

    /** SIGSTOP and SIGCONT in turns: what a starved machine does to a part. */
    record Stutter(SortedSet<String> processes, Duration lasts) implements Fault {}

    /** SIGTERM, and another start after a while. */
    record Redeploy(SortedSet<String> processes, Duration lasts) implements Fault {}

    /** {@code perigee drain}, and what takes it back after a while. */
    record Drain(SortedSet<String> processes, Duration lasts) implements Fault {}

    /** A user's MCP server exits. */
    record CrashServer(int user) implements Fault {
        @Override
        public Duration lasts() {
            return Duration.ZERO;
        }
    }
}
