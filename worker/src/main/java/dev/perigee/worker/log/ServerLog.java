package dev.perigee.worker.log;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The log of one process: takes bytes of its streams on the launcher's thread, gives log events to
 * a sink. Safe for use by any thread; the sink must not block.
 *
 * <p>Source: design/decisions.md, 18; design/contract.md, "Lifecycle events".
 */
public final class ServerLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final LineSplitter stderr;
    private final LineSplitter stdout;
    private final LogRateLimit limit;
    private final TimedBatch<LogLine> batch;
    private final ArrayDeque<String> latest = new ArrayDeque<>();
    private final Map<String, String> metadata;
    private final LogOptions options;
    private final SecretMask mask;
    private final InstantSource clock;
    private final Consumer<EventBody> sink;

    /** The log of the process, whose events go to the sink. */
    public ServerLog(
            String processId,
            LogOptions options,
            SecretMask mask,
            InstantSource clock,
            ScheduledExecutorService timers,
            Consumer<EventBody> sink) {
        this.metadata = Map.of("process_id", processId);
        this.options = options;
        this.mask = mask;
        this.clock = clock;
        this.sink = sink;
        this.stderr = new LineSplitter(options.maxLineBytes());
        this.stdout = new LineSplitter(options.maxLineBytes());
        this.limit = new LogRateLimit(options.linesPerSecond(), options.batchInterval());
        this.batch =
                new TimedBatch<>(
                        lock,
                        options.batchEntries(),
                        options.batchInterval(),
                        timers,
                        this::handOver);
    }

    /** Bytes of standard error. */
    public void stderr(ByteBuffer bytes) {
        locked(() -> stderr.accept(bytes, this::stderrLine));
    }

    /** Bytes of the standard output of a program that does not speak MCP. */
    public void stdout(ByteBuffer bytes) {
        locked(() -> stdout.accept(bytes, line -> line(LevelInference.of(line), line)));
    }

    /** A remark of Perigee's own about the process. */
    public void remark(String level, String text) {
        locked(() -> line(level, text));
    }

    /** Sends what there is at once: the process ended. */
    public void flush() {
        locked(
                () -> {
                    stderr.finish(this::stderrLine);
                    stdout.finish(line -> line(LevelInference.of(line), line));
                    batch.flush();
                });
    }

    /** The latest lines of standard error, masked, oldest first. */
    public List<String> lastLines() {
        lock.lock();
        try {
            return List.copyOf(latest);
        } finally {
            lock.unlock();
        }
    }

    private void stderrLine(String text) {
        var masked = mask.apply(text);
        latest.add(masked);
        if (latest.size() > options.lastLines()) {
            latest.remove();
        }
        line(LevelInference.of(text), masked);
    }

    private void line(String level, String text) {
        if (limit.admit(System.nanoTime())) {
            batch.add(new LogLine(level, mask.apply(text), metadata, clock.instant()));
        } else {
            batch.callSink();
        }
    }

    private void handOver(List<LogLine> lines) {
        if (!lines.isEmpty()) {
            sink.accept(new EventBody.Logs(lines));
        }
        long dropped = limit.takeDropped();
        if (dropped > 0) {
            sink.accept(new EventBody.LogRateLimitExceeded(dropped, limit.linesPerSecond()));
        }
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }
}
