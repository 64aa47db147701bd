package dev.perigee.worker.session;

/** A process of the simulated fleet: it lives, is frozen, is killed and has a clock of its own. */
abstract class SimulatedPart {
    private static final long TICK = 250;

    final SimulatedFleet fleet;
    private final int index;
    private final String name;
    private final long clockOffset;
    private final double pace;
    private long life;
    private boolean alive = true;
    private long frozenUntil;

    SimulatedPart(SimulatedFleet fleet, int index, String name) {
        this.fleet = fleet;
        this.index = index;
        this.name = name;
        this.clockOffset = fleet.between(0, 1_000_000);
        this.pace = 1 + fleet.between(-200, 200) / 1e6;
    }

    int index() {
        return index;
    }

    String name() {
        return name;
    }

    /** What the clock shows that nobody sets. */
    long clockMs() {
        return clockOffset + (long) (fleet.now() * pace);
    }

    /** The simulated time at which this clock will show that. */
    long at(long clockMs) {
        return fleet.now() + (long) ((clockMs - clockMs()) / pace);
    }

    boolean isAlive() {
        return alive;
    }

    boolean isFrozen() {
        return fleet.now() < frozenUntil;
    }

    /** The end of the last freeze. */
    long frozenUntil() {
        return frozenUntil;
    }

    /** Does it now, or when it is not frozen any more; never in another life. */
    void turn(Runnable action) {
        if (!alive) {
            return;
        }
        if (isFrozen()) {
            long of = life;
            fleet.after(
                    frozenUntil - fleet.now(),
                    () -> {
                        if (life == of) {
                            turn(action);
                        }
                    });
        } else {
            action.run();
        }
    }

    void start() {
        long of = life;
        born();
        repeat(of);
    }

    private void repeat(long of) {
        if (life == of && alive) {
            fleet.after(
                    TICK,
                    () ->
                            turn(
                                    () -> {
                                        if (life == of) {
                                            tick();
                                            repeat(of);
                                        }
                                    }));
        }
    }

    void freeze(long time) {
        if (alive) {
            frozenUntil = Math.max(frozenUntil, fleet.now() + time);
        }
    }

    void kill(long until) {
        if (alive) {
            alive = false;
            life++;
            frozenUntil = 0;
            died();
            fleet.after(
                    until,
                    () -> {
                        alive = true;
                        start();
                    });
        }
    }

    abstract void born();

    abstract void died();

    /** Four times a second, while it is not frozen. */
    abstract void tick();
}
