package dev.perigee.testing.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws what happens to a fleet and when, from a seed: kinds of faults as from a shuffled deck, so
 * that each comes before one comes twice, with random parts and times. Pure.
 */
public final class Schedule {
    private static final int PERMILLE = 1_000;

    private final SplittableRandom random;
    private final Shape shape;
    private final List<Kind> deck = new ArrayList<>();
    private int crashes;

    /**
     * What there is.
     *
     * @param retention for how long workers keep processes without a gateway
     */
    public record Shape(int gateways, int workers, int users, Duration retention) {}

    private enum Kind {
        KILL_GATEWAY,
        FREEZE_GATEWAY,
        REDEPLOY_GATEWAY,
        ADD_GATEWAY,
        KILL_WORKER,
        FREEZE_WORKER,
        LOSE_WORKER,
        REDEPLOY_WORKER,
        DRAIN_WORKER,
        ADD_WORKER,
        CUT_LINK,
        RESET_LINK,
        SILENCE_LINK,
        CUT_BROKER,
        RESTART_BROKER,
        FREEZE_BROKER,
        SLOW_BROKER,
        CRASH_SERVER
    }

    private Schedule(long seed, Shape shape) {
        this.random = new SplittableRandom(seed);
        this.shape = shape;
    }

    /** The faults of a soak that fit into its duration. */
    public static List<Step> of(long seed, Duration duration, Shape shape) {
        var schedule = new Schedule(seed, shape);
        var steps = new ArrayList<Step>();
        var at = schedule.between(500, 2_000);
        var fault = schedule.next();
        while (at.plus(lasts(fault)).compareTo(duration) < 0) {
            steps.add(new Step(at, fault));
            at = at.plus(lasts(fault)).plus(schedule.between(500, 3_000));
            fault = schedule.next();
        }
        return List.copyOf(steps);
    }

    /** How long a fault takes by itself. */
    static Duration lasts(Fault fault) {
        return switch (fault) {
            case Fault.KillGateway(_, var gone) -> gone;
            case Fault.FreezeGateway(_, var time) -> time;
            case Fault.AddGateway(_, var time) -> time;
            case Fault.KillWorker(_, var gone) -> gone;
            case Fault.FreezeWorker(_, var time) -> time;
            case Fault.LoseWorker(_, var time) -> time;
            case Fault.DrainWorker(_, var drained) -> drained;
            case Fault.AddWorker(_, var time) -> time;
            case Fault.CutLink(_, var time) -> time;
            case Fault.CutBroker(_, var time) -> time;
            case Fault.RestartBroker(var gone) -> gone;
            case Fault.FreezeBroker(var time) -> time;
            case Fault.SlowBroker(_, var time) -> time;
            case Fault.RedeployGateway _,
                    Fault.RedeployWorker _,
                    Fault.ResetLink _,
                    Fault.SilenceLink _,
                    Fault.CrashServer _ ->
                    Duration.ZERO;
        };
    }

    private Fault next() {
        return switch (draw()) {
            case KILL_GATEWAY -> new Fault.KillGateway(gateway(), between(0, 5_000));
            case FREEZE_GATEWAY -> new Fault.FreezeGateway(gateway(), between(500, 12_000));
            case REDEPLOY_GATEWAY -> new Fault.RedeployGateway(gateway());
            case ADD_GATEWAY -> new Fault.AddGateway(shape.gateways() + 1, between(2_000, 8_000));
            case KILL_WORKER -> new Fault.KillWorker(worker(), between(0, 5_000));
            case FREEZE_WORKER -> new Fault.FreezeWorker(worker(), partOfRetention(100, 500));
            case LOSE_WORKER -> new Fault.LoseWorker(worker(), partOfRetention(1_500, 2_000));
            case REDEPLOY_WORKER -> new Fault.RedeployWorker(worker());
            case DRAIN_WORKER -> new Fault.DrainWorker(worker(), between(0, 3_000));
            case ADD_WORKER -> new Fault.AddWorker(shape.workers() + 1, between(3_000, 8_000));
            case CUT_LINK -> new Fault.CutLink(worker(), partOfRetention(10, 500));
            case RESET_LINK -> new Fault.ResetLink(worker());
            case SILENCE_LINK -> new Fault.SilenceLink(worker());
            case CUT_BROKER -> new Fault.CutBroker(gateway(), between(500, 12_000));
            case RESTART_BROKER -> new Fault.RestartBroker(between(0, 5_000));
            case FREEZE_BROKER -> new Fault.FreezeBroker(between(500, 12_000));
            case SLOW_BROKER -> new Fault.SlowBroker(between(10, 200), between(2_000, 6_000));
            // Each user's once, before one's twice: three crashes are a server's last.
            case CRASH_SERVER -> new Fault.CrashServer(1 + crashes++ % shape.users());
        };
    }

    private Kind draw() {
        if (deck.isEmpty()) {
            for (var kind : Kind.values()) {
                deck.add(random.nextInt(deck.size() + 1), kind);
            }
        }
        return deck.removeLast();
    }

    private int gateway() {
        return random.nextInt(1, shape.gateways() + 1);
    }

    private int worker() {
        return random.nextInt(1, shape.workers() + 1);
    }

    private Duration partOfRetention(int fromPermille, int toPermille) {
        return shape.retention()
                .multipliedBy(random.nextInt(fromPermille, toPermille))
                .dividedBy(PERMILLE);
    }

    private Duration between(int fromMs, int toMs) {
        return Duration.ofMillis(random.nextInt(fromMs, toMs));
    }
}
