package dev.perigee.worker.log;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogLine;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The log of one process: takes bytes of its streams on the launcher's thread, gives log events to
 * a sink, batched and limited by {@link LogOptions}. Thread-safe; the sink must not block.
 */
public final class ServerLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final LineSplitter stderr;
    private final LineSplitter stdout;
    private final LogRateLimit limit;
    private final TimedBatch<LogLine> batch;
    private final StderrTail latest;
    private final Map<String, String> metadata;
    private final UnaryOperator<String> mask;
    private final int maxLineBytes;
    private final InstantSource clock;
    private final Consumer<EventBody> sink;

    /**
     * The log of the process, whose events go to the sink.
     *
     * @param mask takes secrets out of a line
     */
    public ServerLog(
            String processId,
            LogOptions options,
            UnaryOperator<String> mask,
            InstantSource clock,
            ScheduledExecutorService timers,
            Consumer<EventBody> sink) {
        this.metadata = Map.of("process_id", processId);
        this.mask = mask;
        this.clock = clock;
        this.sink = sink;
        this.maxLineBytes = options.maxLineBytes();
        this.latest = new StderrTail(options.tailLines());
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
        locked(() -> stdout.accept(bytes, this::outputLine));
    }

    /** A remark of Perigee's own about the process. */
    public void remark(String level, String text) {
        remark(level, () -> text);
    }

    /** A remark that is only composed when it is admitted: a server may provoke any number. */
    public void remark(String level, Supplier<String> text) {
        locked(() -> line(() -> level, text));
    }

    /**
     * A message that the server sent as a notification, as one line; only read when it is admitted.
     *
     * @param message null when it cannot be read
     */
    public void message(Supplier<@Nullable ServerMessage> message) {
        locked(
                () -> {
                    if (!limit.admit(System.nanoTime())) {
                        batch.callSink();
                        return;
                    }
                    var read = message.get();
                    if (read != null) {
                        add(read.lineLevel(), read.masked(mask).line(maxLineBytes));
                    }
                });
    }

    /** Sends the lines that are whole at once: the process exited, and is still read. */
    public void flushLines() {
        locked(batch::flush);
    }

    /** Sends what there is at once: nothing more is read. */
    public void flush() {
        locked(
                () -> {
                    stderr.finish(this::stderrLine);
                    stdout.finish(this::outputLine);
                    batch.flush();
                });
    }

    /** The latest lines of standard error, masked, oldest first. */
    public List<String> lastLines() {
        lock.lock();
        try {
            return latest.lines().stream().map(mask).toList();
        } finally {
            lock.unlock();
        }
    }

    private void stderrLine(String text) {
        latest.add(text);
        outputLine(text);
    }

    private void outputLine(String text) {
        line(() -> LevelInference.of(text), () -> text);
    }

    private void line(Supplier<String> level, Supplier<String> text) {
        if (limit.admit(System.nanoTime())) {
            add(level.get(), text.get());
        } else {
            batch.callSink();
        }
    }

    private void add(String level, String text) {
        batch.add(new LogLine(level, mask.apply(text), metadata, clock.instant()));
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
