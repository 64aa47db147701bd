package dev.perigee.local.cli;

import dev.perigee.local.fleet.FleetPlan;
import dev.perigee.local.fleet.JvmCommand;
import dev.perigee.local.fleet.LocalFleet;
import dev.perigee.local.fleet.PartFailedException;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A local fleet in the foreground of a command: prints what becomes ready and what goes wrong, and
 * stops the fleet when the command ends or the JVM is told to.
 */
final class FleetRun implements AutoCloseable {
    private final CommandSpec spec;
    private final LocalFleet fleet;
    private final CountDownLatch allEnded = new CountDownLatch(1);
    private final AtomicBoolean ended = new AtomicBoolean();

    private FleetRun(CommandSpec spec, FleetPlan plan) {
        this.spec = spec;
        var flags = System.getenv().getOrDefault("PERIGEE_JAVA_OPTS", "");
        this.fleet = fleet(plan, new JvmCommand(Perigee.class.getName(), flags));
    }

    private LocalFleet fleet(FleetPlan plan, JvmCommand jvm) {
        try {
            return new LocalFleet(
                    plan, jvm, ready -> Printer.out(spec).line(ready.toString()), this::trouble);
        } catch (IOException e) {
            throw CliException.usage(
                    "The directory "
                            + (plan.data() == null ? "for temporary files" : plan.data())
                            + " cannot be used: "
                            + e
                            + ". Name another one.");
        } catch (PartFailedException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Prepares a run; nothing is started yet. */
    static FleetRun of(CommandSpec spec, FleetPlan plan) {
        var run = new FleetRun(spec, plan);
        Runtime.getRuntime().addShutdownHook(new Thread(run::stopOnSignal, "stop-fleet"));
        return run;
    }

    /** Starts the fleet and returns the broker's address when every part is ready. */
    String start() throws IOException, InterruptedException {
        try {
            return fleet.start();
        } catch (PartFailedException e) {
            if (ended.get()) {
                // It was stopped while it started; the JVM ends when all parts have.
                new CountDownLatch(1).await();
            }
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Waits until no part is left, which is not what anybody wants. */
    void awaitEnd() throws InterruptedException {
        allEnded.await();
    }

    private void trouble(String message) {
        Printer.err(spec).line(spec.qualifiedName() + ": " + message);
        if (!fleet.isAlive()) {
            allEnded.countDown();
        }
    }

    /** A fleet that was stopped in order by Ctrl-C or SIGTERM has ended well. */
    private void stopOnSignal() {
        if (ended.compareAndSet(false, true)) {
            fleet.close();
            Runtime.getRuntime().halt(ExitCode.OK);
        }
    }

    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            fleet.close();
        }
    }
}
