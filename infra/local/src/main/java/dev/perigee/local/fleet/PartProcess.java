package dev.perigee.local.fleet;

import dev.perigee.part.ReadyLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part as a child JVM. Its standard error goes to its log directly; its standard output is read
 * for the ready line. It ends when its standard input does: when it is asked to, and with this JVM,
 * whatever happens to it. A signal would find a JVM that is only coming up at a point where it
 * complains. Ctrl-C on a terminal reaches the whole process group; the child ignores it, so that
 * the fleet decides the order.
 */
final class PartProcess {
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration KILL = Duration.ofSeconds(10);

    private final PartSpec spec;
    private final Process process;
    private final Consumer<String> trouble;
    private final CompletableFuture<ReadyLine> ready = new CompletableFuture<>();
    private volatile boolean stopping;

    private PartProcess(PartSpec spec, Process process, Consumer<String> trouble) {
        this.spec = spec;
        this.process = process;
        this.trouble = trouble;
    }

    /**
     * Starts the JVM and returns at once.
     *
     * @param keepVariable which variables of this JVM's environment the part gets
     * @param log where its standard error goes
     * @param trouble called with how the part ended when it was not asked to
     */
    static PartProcess start(
            PartSpec spec,
            JvmCommand jvm,
            Predicate<String> keepVariable,
            ProcessBuilder.Redirect log,
            Consumer<String> trouble)
            throws IOException {
        var command = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        command.addAll(jvm.of(spec.heapMebibytes(), spec.arguments()));
        var builder = new ProcessBuilder(command).redirectError(log);
        builder.environment().keySet().removeIf(name -> !keepVariable.test(name));
        builder.environment().putAll(spec.environment());
        builder.environment().put("PERIGEE_PART_NAME", spec.name());
        var process = builder.start();
        try {
            var part = new PartProcess(spec, process, trouble);
            Thread.ofPlatform().name("output-" + spec.name()).daemon().start(part::follow);
            return part;
        } catch (RuntimeException | Error e) {
            process.destroyForcibly(); // No part refers to it yet.
            throw e;
        }
    }

    private void follow() {
        try (var lines = process.inputReader()) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                var parsed = ReadyLine.parse(line);
                if (parsed != null) {
                    ready.complete(parsed);
                }
            }
        } catch (IOException e) {
            // The pipe broke: the process ended, which is waited for below.
        }
        try {
            var end = spec.name() + " " + ending(process.waitFor());
            var wasReady =
                    !ready.completeExceptionally(
                            new PartFailedException(end + " before it was ready"));
            if (wasReady && !stopping) {
                trouble.accept(end);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String name() {
        return spec.name();
    }

    PartSpec spec() {
        return spec;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** All that runs below it now. */
    List<ProcessHandle> below() {
        return process.descendants().toList();
    }

    /** Where it served, also after its end; empty when it never did. */
    Map<String, String> addresses() {
        return served() ? ready.resultNow().addresses() : Map.of();
    }

    /** How it ended after it served and without being asked to; else null. */
    @Nullable String unaskedEnd() {
        return stopping || process.isAlive() || !served()
                ? null
                : name() + " " + ending(process.exitValue());
    }

    private boolean served() {
        return ready.state() == Future.State.SUCCESS;
    }

    /**
     * Waits until the part serves.
     *
     * @throws PartFailedException when it ended first, or takes too long
     */
    ReadyLine awaitReady() throws InterruptedException {
        try {
            return ready.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PartFailedException failure
                    ? failure
                    : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new PartFailedException(
                    spec.name() + " was not ready within " + START.toSeconds() + " s");
        }
    }

    /** Asks the part to end; {@link #awaitEnd} waits for it. */
    void askToEnd() {
        stopping = true;
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // Nothing was ever written, so nothing can fail to be; the part has ended already.
        }
    }

    /**
     * Ends it at once, and waits for that. Nothing happens to one that has ended.
     *
     * @throws IllegalStateException when it does not end
     */
    void kill() throws InterruptedException {
        if (!process.isAlive()) {
            return;
        }
        stopping = true;
        if (!process.destroyForcibly().waitFor(KILL.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "%s was killed and still runs after %d s".formatted(name(), KILL.toSeconds()));
        }
    }

    /** Waits for the end, and kills the part when it takes longer; returns whether it had to. */
    boolean awaitEnd(Duration patience) throws InterruptedException {
        if (process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        process.destroyForcibly().waitFor(KILL.toMillis(), TimeUnit.MILLISECONDS);
        return true;
    }

    private static String ending(int exitCode) {
        return exitCode > 128
                ? "was ended by signal " + (exitCode - 128)
                : "ended with exit code " + exitCode;
    }
}
