package dev.perigee.testing.soak;

import dev.perigee.faults.FaultProxy;
import dev.perigee.testing.fleet.Drains;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Health;
import dev.perigee.testing.history.Load;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Does to a fleet what a schedule says, one thing after the other, and after each waits until the
 * gateways say that all is well again and {@link Calm} that nothing of it is left: a fault that
 * does not heal is one too many. So no two parts are lost at the same time, and none while an owner
 * changes. For one thread.
 */
public final class Soak implements AutoCloseable {
    private static final Duration HEALS = Duration.ofSeconds(90);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final String BROKER = "broker-1";

    private final FleetUnderTest fleet;
    private final Load load;
    private final Schedule.Shape shape;
    private final Drains drains;
    private final Calm calm;

    public Soak(FleetUnderTest fleet, Load load, Schedule.Shape shape) {
        this.fleet = fleet;
        this.load = load;
        this.shape = shape;
        this.drains = new Drains(fleet);
        this.calm = new Calm(fleet.bootstrap(), fleet.names(), fleet.partitions());
    }

    /** Runs the schedule; gives what was done when, for people. */
    public List<String> run(List<Step> steps)
            throws IOException, InterruptedException, ExecutionException {
        var done = new ArrayList<String>();
        long begin = System.nanoTime();
        for (var step : steps) {
            pass(step.at().minusNanos(System.nanoTime() - begin));
            long from = System.nanoTime();
            inflict(step.fault());
            long inflicted = System.nanoTime();
            awaitHealed(step);
            done.add(
                    "at %.1f s, %.1f s, healed after %.1f s: %s"
                            .formatted(
                                    (from - begin) / 1e9,
                                    (inflicted - from) / 1e9,
                                    (System.nanoTime() - inflicted) / 1e9,
                                    step.fault()));
        }
        return done;
    }

    private void inflict(Fault fault) throws IOException, InterruptedException {
        switch (fault) {
            case Fault.KillGateway(var gateway, var gone) -> {
                fleet.part("gateway-" + gateway).kill();
                pass(gone);
                fleet.startGateway(gateway).awaitReady();
            }
            case Fault.FreezeGateway(var gateway, var time) -> freeze("gateway-" + gateway, time);
            case Fault.RedeployGateway(var gateway) -> {
                var _ = fleet.part("gateway-" + gateway).terminate();
                fleet.startGateway(gateway).awaitReady();
            }
            case Fault.AddGateway(var gateway, var time) -> {
                fleet.startGateway(gateway).awaitReady();
                pass(time);
                var _ = fleet.part("gateway-" + gateway).terminate();
            }
            case Fault.KillWorker(var worker, var gone) -> {
                fleet.part("worker-" + worker).kill();
                pass(gone);
                fleet.startWorker(worker).awaitReady();
            }
            case Fault.FreezeWorker(var worker, var time) -> freeze("worker-" + worker, time);
            case Fault.LoseWorker(var worker, var time) -> {
                freeze("worker-" + worker, time);
                var _ = fleet.part("worker-" + worker).awaitExit();
                fleet.startWorker(worker).awaitReady();
            }
            case Fault.RedeployWorker(var worker) -> {
                var _ = fleet.part("worker-" + worker).terminate();
                fleet.startWorker(worker).awaitReady();
            }
            case Fault.DrainWorker(var worker, var drained) -> {
                drain(worker);
                pass(drained);
                drain(worker, "--undo");
            }
            case Fault.AddWorker(var worker, var time) -> {
                fleet.startWorker(worker).awaitReady();
                pass(time);
                var _ = fleet.part("worker-" + worker).terminate();
            }
            case Fault.CutLink(var worker, var time) -> fleet.link(worker).partitionFor(time);
            case Fault.ResetLink(var worker) -> fleet.link(worker).reset();
            case Fault.SilenceLink(var worker) -> fleet.link(worker).drop();
            case Fault.CutBroker(var gateway, var time) -> {
                var networks = fleet.brokers().network(gateway);
                networks.forEach(FaultProxy::partition);
                pass(time);
                networks.forEach(FaultProxy::heal);
            }
            case Fault.RestartBroker(var gone) -> {
                fleet.part(BROKER).kill();
                pass(gone);
                fleet.brokers().start(1).awaitReady();
            }
            case Fault.FreezeBroker(var time) -> freeze(BROKER, time);
            case Fault.SlowBroker(var latency, var time) -> {
                fleet.brokers().networks().forEach(network -> network.delay(latency));
                pass(time);
                fleet.brokers().networks().forEach(FaultProxy::heal);
            }
            case Fault.CrashServer(var user) -> {
                var _ = fleet.backend().call(load.servers().get(user - 1), "crash", "{}");
            }
        }
    }

    private void drain(int worker, String... more) {
        var drain = drains.of(worker, more);
        if (drain.awaitExit() != 0) {
            throw new AssertionError(
                    "worker-%d is not drained: %s".formatted(worker, drain.output()));
        }
    }

    private void freeze(String part, Duration time) throws IOException, InterruptedException {
        fleet.part(part).signal("STOP");
        pass(time);
        fleet.part(part).signal("CONT");
    }

    private void awaitHealed(Step step) throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + HEALS.toNanos();
        var ends = calm.ends();
        awaitWell(step, end);
        while (!calm.isBack(shape.gateways(), ends)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        "%s after %s not all gateways share, or not all is answered up to %s"
                                .formatted(HEALS, step, ends));
            }
            pass(LOOK);
        }
        awaitWell(step, end);
    }

    private void awaitWell(Step step, long end) {
        for (int gateway = 1; gateway <= shape.gateways(); gateway++) {
            var health = Health.of(fleet.part("gateway-" + gateway));
            while (!isWell(health)) {
                if (System.nanoTime() - end > 0) {
                    throw new AssertionError(
                            "gateway-%d has not recovered within %s of %s: %s"
                                    .formatted(gateway, HEALS, step, health.body()));
                }
                pass(LOOK);
                health = Health.of(fleet.part("gateway-" + gateway));
            }
        }
    }

    /** Nothing is missing but the worker that is added now and then. */
    private boolean isWell(Health health) {
        var spare = fleet.linkAuthority(shape.workers() + 1);
        return health.isReady() || health.obstacles().equals(List.of(spare));
    }

    @Override
    public void close() {
        calm.close();
    }

    /** The faults' own time; nothing is waited for. */
    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
