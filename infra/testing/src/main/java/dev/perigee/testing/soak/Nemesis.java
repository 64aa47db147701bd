package dev.perigee.testing.soak;

import dev.perigee.faults.Condition;
import dev.perigee.testing.fleet.Drains;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Part;
import dev.perigee.testing.history.Outage;
import dev.perigee.testing.history.SteadyLoad;
import dev.perigee.testing.soak.Fault.Cut;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Does to a fleet what a storm says: begins each fault at its time and ends it at its, however many
 * are under way. Network faults that overlap add up. For one thread, which never waits for the
 * fleet while a fault lasts.
 */
final class Nemesis {
    private static final Duration LOOK = Duration.ofMillis(25);
    private static final Duration STUTTER = Duration.ofMillis(300);

    private final FleetUnderTest fleet;
    private final SteadyLoad load;
    private final Keeper keeper;
    private final Times times;
    private final Drains drains;
    private final Runnable meanwhile;
    private final Consumer<String> say;
    private final List<Fault> active = new ArrayList<>();
    private final List<Outage> outages = new ArrayList<>();
    private final Map<String, Part> draining = new HashMap<>();
    private final PriorityQueue<Deed> due = new PriorityQueue<>(Comparator.comparingLong(Deed::at));

    /** What is done at a moment of {@link System#nanoTime}. */
    private record Deed(long at, Doing doing) {}

    private interface Doing {
        void run() throws IOException, InterruptedException;
    }

    /**
     * @param meanwhile is run again and again
     * @param say hears which faults begin
     */
    Nemesis(
            FleetUnderTest fleet,
            SteadyLoad load,
            Keeper keeper,
            Times times,
            Runnable meanwhile,
            Consumer<String> say) {
        this.fleet = fleet;
        this.load = load;
        this.keeper = keeper;
        this.times = times;
        this.drains = Drains.withoutBroker(fleet);
        this.meanwhile = meanwhile;
        this.say = say;
    }

    /** Runs a storm to its end, when no fault is left. */
    void run(Storm storm) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        for (var step : storm.steps()) {
            due.add(new Deed(begin + step.at().toNanos(), () -> begin(step.fault())));
        }
        try {
            while (!due.isEmpty()) {
                if (System.nanoTime() - due.peek().at() >= 0) {
                    due.remove().doing().run();
                } else {
                    meanwhile.run();
                    LockSupport.parkNanos(LOOK.toNanos());
                }
            }
        } finally {
            due.clear();
            for (var fault : List.copyOf(active)) {
                end(fault);
            }
        }
    }

    /** Which parts were away so far, and when. */
    List<Outage> outages() {
        return List.copyOf(outages);
    }

    private void begin(Fault fault) throws IOException, InterruptedException {
        say.accept("  " + fault);
        active.add(fault);
        outages.addAll(Outages.of(fault, System.currentTimeMillis(), times));
        switch (fault) {
            case Cut cut -> {
                apply();
                strike(cut);
            }
            case Fault.Slow _ -> apply();
            case Fault.Kill(var parts, _) -> {
                keeper.leave(parts);
                parts.forEach(part -> fleet.part(part).kill());
            }
            case Fault.Freeze(var parts, _) -> signal(parts, "STOP");
            case Fault.Stutter stutter -> stutter(stutter, true);
            case Fault.Redeploy(var parts, _) -> {
                keeper.leave(parts);
                parts.forEach(part -> fleet.part(part).askToEnd());
            }
            case Fault.Drain(var parts, _) -> drain(parts.getFirst());
            case Fault.CrashServer(var user) -> crash(user);
        }
        due.add(new Deed(System.nanoTime() + fault.lasts().toNanos(), () -> end(fault)));
    }

    private void end(Fault fault) throws IOException, InterruptedException {
        active.remove(fault);
        switch (fault) {
            case Cut _, Fault.Slow _ -> apply();
            case Fault.Kill(var parts, _) -> keeper.keep(parts);
            case Fault.Redeploy(var parts, _) -> keeper.keep(parts);
            case Fault.Freeze(var parts, _) -> signal(parts, "CONT");
            case Fault.Stutter(var parts, _) -> signal(parts, "CONT");
            case Fault.Drain(var parts, _) -> undo(parts.getFirst());
            case Fault.CrashServer _ -> {}
        }
    }

    /** Each network is as bad as all that is done to it together. */
    private void apply() {
        for (var line : fleet.lines()) {
            var all = Condition.HEALTHY;
            for (var fault : active) {
                all = all.and(fault.between(line.gateway(), line.other()));
            }
            line.proxy().set(all);
        }
    }

    private void strike(Cut cut) {
        for (var line : fleet.lines()) {
            if (cut.isBetween(line.gateway(), line.other())) {
                switch (cut.loss()) {
                    case CLOSED -> line.proxy().cut();
                    case RESET -> line.proxy().reset();
                    case SILENT -> {}
                    case FORGOTTEN -> line.proxy().drop();
                }
            }
        }
    }

    private void signal(Iterable<String> parts, String signal)
            throws IOException, InterruptedException {
        for (var name : parts) {
            var part = fleet.part(name);
            try {
                if (part.alive()) {
                    part.signal(signal);
                }
            } catch (IOException e) {
                if (part.alive()) {
                    throw e;
                }
                // It ended by itself meanwhile, and is started again like any that does.
            }
        }
    }

    private void stutter(Fault.Stutter fault, boolean stop)
            throws IOException, InterruptedException {
        if (active.contains(fault)) {
            signal(fault.processes(), stop ? "STOP" : "CONT");
            due.add(new Deed(System.nanoTime() + STUTTER.toNanos(), () -> stutter(fault, !stop)));
        }
    }

    private void drain(String worker) {
        if (fleet.part(worker).isReady()) {
            draining.put(worker, drains.of(number(worker)));
        }
    }

    /** One that was started again meanwhile is not drained any more. */
    private void undo(String worker) {
        var drain = draining.remove(worker);
        if (drain != null) {
            drain.kill();
            if (fleet.part(worker).isReady()) {
                drains.undo(number(worker));
            }
        }
    }

    private static int number(String part) {
        return Integer.parseInt(part.substring(part.indexOf('-') + 1));
    }

    /** Its answer is not waited for: the broker may be one of those who are away. */
    private void crash(int user) {
        var server = load.servers().get(user - 1);
        Thread.ofVirtual().start(() -> fleet.backend().request(server, "crash", "{}"));
    }
}
