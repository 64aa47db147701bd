package dev.perigee.testing.fleet;

import dev.perigee.faults.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * One part of a fleet: a JVM that runs a command of the command line. Its output is kept in a file
 * that failures name.
 */
public final class Part implements AutoCloseable {

    /** What a part has unless it is told otherwise. */
    static final int HEAP_MEBIBYTES = 256;

    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration STOP = Duration.ofSeconds(60);
    private static final Duration OUTPUT = Duration.ofSeconds(5);

    private final Process process;
    private final Path log;
    private final CompletableFuture<Map<String, String>> ready = new CompletableFuture<>();

    private final Thread follower;

    private Part(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.follower =
                Thread.ofPlatform()
                        .daemon()
                        .name("part-" + log.getFileName())
                        .unstarted(this::follow);
    }

    /** Starts a part with the usual heap and returns at once. */
    static Part start(Path log, Map<String, String> environment, List<String> arguments)
            throws IOException {
        return start(log, environment, PartJvm.command(arguments, HEAP_MEBIBYTES, null), List.of());
    }

    /**
     * The same with a command of {@link PartJvm}.
     *
     * @param by words before it, which run it
     */
    static Part start(Path log, Map<String, String> environment, List<String> jvm, List<String> by)
            throws IOException {
        var command = Stream.concat(by.stream(), jvm.stream()).toList();
        keepEarlier(log);
        Files.writeString(log, "");
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        var part = new Part(builder.start(), log);
        part.process.getOutputStream().close();
        part.follower.start();
        return part;
    }

    /** The log of a part of this name that ran before becomes {@code NAME.log.1}, then 2. */
    private static void keepEarlier(Path log) throws IOException {
        int number = 1;
        while (Files.exists(log.resolveSibling(log.getFileName() + "." + number))) {
            number++;
        }
        if (Files.exists(log)) {
            Files.move(log, log.resolveSibling(log.getFileName() + "." + number));
        }
    }

    private void follow() {
        try (var lines = new BufferedReader(process.inputReader(StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Files.writeString(log, line + "\n", StandardOpenOption.APPEND);
                if (line.startsWith("ready ")) {
                    ready.complete(ReadyLineReader.fields(line));
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The process is gone; what is waited for fails below.
        }
        ready.completeExceptionally(new IOException("ended before it was ready, see " + log));
    }

    /** Waits until the part has said that it serves. */
    public Part awaitReady() {
        field("pid");
        return this;
    }

    /** Whether the part has said that it serves, and runs. */
    public boolean isReady() {
        return alive() && ready.isDone() && !ready.isCompletedExceptionally();
    }

    /** A field of the ready line, such as {@code link} or {@code admin}. */
    public String field(String name) {
        try {
            var value = ready.get(START.toSeconds(), TimeUnit.SECONDS).get(name);
            if (value == null) {
                throw new AssertionError("The ready line has no " + name + ", see " + log);
            }
            return value;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("Not ready: " + log + "\n" + tail(), e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** The exit code of a part that has ended, 128 + n for signal n. */
    public int exitCode() {
        return process.exitValue();
    }

    /** SIGKILL: the part has no chance to tidy up. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM: what an operator or an orchestrator sends. Waits for the end. */
    public int terminate() {
        process.destroy();
        return awaitExit();
    }

    /** Sends any signal, such as {@code STOP} and {@code CONT}. */
    public void signal(String name) throws IOException, InterruptedException {
        Signals.send(pid(), name);
    }

    /** Waits for the end and for all output, and gives the exit code, 128 + n for signal n. */
    public int awaitExit() {
        int code = awaitEnd();
        try {
            // What it started may have its output open; that is not waited for long.
            follower.join(OUTPUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return code;
    }

    private int awaitEnd() {
        try {
            if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "Still running after " + STOP + ": " + log + "\n" + tail());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** All that the part has printed so far. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String tail() {
        var text = output();
        return text.substring(Math.max(0, text.length() - 4000));
    }

    /** SIGTERM, without waiting. */
    public void askToEnd() {
        process.destroy();
    }

    /** SIGKILL, without waiting. */
    void killSoon() {
        process.destroyForcibly();
    }

    /** Whether it ends in that time, of itself or as it was asked to. */
    boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits a little for the end that was asked for, then kills. */
    @Override
    public void close() {
        try {
            process.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
