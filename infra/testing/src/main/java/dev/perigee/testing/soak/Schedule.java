package dev.perigee.testing.soak;

import dev.perigee.testing.soak.Fault.Flow;
import dev.perigee.testing.soak.Fault.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Draws what happens to a fleet and when, from a seed: storm after storm of faults that overlap,
 * their kinds as from a shuffled deck, so that each comes before one comes twice, with random sets
 * of parts and times. Of two faults that would be done to one process at once the second comes
 * later. Without I/O and clock; for one thread.
 */
public final class Schedule {
    private static final Duration BRIEF = Duration.ofMillis(200);
    private static final Duration GAP = Duration.ofMillis(500);
    private static final int FEWEST = 3;
    private static final int MOST = 7;
    private static final int PERMILLE = 1_000;

    private final SplittableRandom random;
    private final Shape shape;
    private final List<Kind> deck = new ArrayList<>();
    private int storms;
    private int crashes;

    /** Networks between sets are cut in most of the ways there are: they come more often. */
    private enum Kind {
        CUT_SET,
        CUT_SET_AGAIN,
        CUT_PAIR,
        CUT_PAIR_AGAIN,
        SLOW_SET,
        SLOW_PAIR,
        KILL,
        KILL_AGAIN,
        FREEZE,
        STUTTER,
        REDEPLOY,
        DRAIN,
        CRASH_SERVER
    }

    public Schedule(long seed, Shape shape) {
        this.random = new SplittableRandom(seed);
        this.shape = shape;
    }

    /** The next storm of the seed. */
    public Storm next() {
        var takeover = shape.times().takeover();
        var length = between(takeover.dividedBy(3), takeover.multipliedBy(3).dividedBy(2));
        var free = new HashMap<String, Duration>();
        var steps = new ArrayList<TimedFault>();
        for (int count = random.nextInt(FEWEST, MOST + 1); count > 0; count--) {
            var fault = draw();
            var at = between(Duration.ZERO, length.dividedBy(2));
            for (var part : fault.processes()) {
                at = later(at, free.getOrDefault(part, Duration.ZERO));
            }
            var step = new TimedFault(at, fault);
            fault.processes().forEach(part -> free.put(part, step.end().plus(GAP)));
            steps.add(step);
        }
        steps.sort(Comparator.comparing(TimedFault::at));
        return new Storm(++storms, steps);
    }

    private Fault draw() {
        return switch (kind()) {
            case CUT_SET, CUT_SET_AGAIN -> {
                var side = set(shape.parts(), shape.parts().size() - 1);
                yield cut(side, rest(side));
            }
            case CUT_PAIR, CUT_PAIR_AGAIN -> cut(gateways(), others());
            case SLOW_SET -> {
                var side = set(shape.parts(), shape.parts().size() - 1);
                yield slow(side, rest(side));
            }
            case SLOW_PAIR -> slow(gateways(), others());
            case KILL, KILL_AGAIN -> new Fault.Kill(some(shape.parts()), time());
            case FREEZE -> new Fault.Freeze(some(shape.parts()), time());
            case STUTTER -> new Fault.Stutter(some(shape.parts()), time());
            case REDEPLOY -> {
                var parts = new ArrayList<>(shape.gatewayNames());
                parts.addAll(shape.workerNames());
                yield new Fault.Redeploy(some(parts), time());
            }
            case DRAIN -> new Fault.Drain(set(shape.workerNames(), 1), time());
            // Each user's once, before one's twice: three crashes are a server's last.
            case CRASH_SERVER -> new Fault.CrashServer(1 + crashes++ % shape.users());
        };
    }

    private Kind kind() {
        if (deck.isEmpty()) {
            for (var kind : Kind.values()) {
                deck.add(random.nextInt(deck.size() + 1), kind);
            }
        }
        return deck.removeLast();
    }

    /** Only what is silent can be so one way: an end of a connection is heard on both sides. */
    private Fault cut(SortedSet<String> side, SortedSet<String> rest) {
        var loss = one(List.of(Loss.values()));
        boolean silent = random.nextInt(3) == 0 || loss == Loss.SILENT;
        var flow = silent ? one(List.of(Flow.values())) : Flow.BOTH;
        return new Fault.Cut(side, rest, flow, silent ? Loss.SILENT : loss, time());
    }

    private Fault slow(SortedSet<String> side, SortedSet<String> rest) {
        var latency = between(Duration.ofMillis(5), Duration.ofMillis(250));
        return new Fault.Slow(side, rest, latency, random.nextInt(100, 16 * 1024), time());
    }

    private SortedSet<String> gateways() {
        return set(shape.gatewayNames(), 1);
    }

    /** One worker, or the broker. */
    private SortedSet<String> others() {
        var others = new ArrayList<>(shape.workerNames());
        others.add(Shape.BROKER);
        return set(others, 1);
    }

    private SortedSet<String> rest(SortedSet<String> side) {
        var rest = new TreeSet<>(shape.parts());
        rest.removeAll(side);
        return Collections.unmodifiableSortedSet(rest);
    }

    /** Mostly one or two of these, now and then any number. */
    private SortedSet<String> some(List<String> from) {
        return switch (random.nextInt(4)) {
            case 0, 1 -> set(from, 1);
            case 2 -> set(from, 2);
            default -> set(from, from.size());
        };
    }

    /** So many of these at most, and one at least. */
    private SortedSet<String> set(List<String> from, int most) {
        int size = random.nextInt(1, Math.min(most, from.size()) + 1);
        var left = new ArrayList<>(from);
        var set = new TreeSet<String>();
        while (set.size() < size) {
            set.add(left.remove(random.nextInt(left.size())));
        }
        return Collections.unmodifiableSortedSet(set);
    }

    private <T> T one(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    /** Short ones as often as long ones: a blink, or longer than everything waits for. */
    private Duration time() {
        double most = shape.times().takeover().toMillis() * 1.25;
        double share = random.nextDouble();
        return Duration.ofMillis(
                Math.round(BRIEF.toMillis() * Math.pow(most / BRIEF.toMillis(), share)));
    }

    private Duration between(Duration least, Duration most) {
        return least.plus(
                most.minus(least).multipliedBy(random.nextInt(PERMILLE)).dividedBy(PERMILLE));
    }

    private static Duration later(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
