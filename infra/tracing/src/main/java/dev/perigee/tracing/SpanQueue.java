package dev.perigee.tracing;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spans that have ended and wait to be sent: bounded, counted, and never waited for by who ends
 * one. OpenTelemetry's batch processor sends them, on a thread of its own. Thread-safe.
 */
final class SpanQueue implements SpanProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(SpanQueue.class);
    private static final int LARGEST_BATCH = 512;
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(1);

    private final int most;
    private final SpanCounts counts;
    private final AtomicInteger waiting = new AtomicInteger();
    private final SpanProcessor batches;

    /**
     * @param most spans that wait, those that are being sent aside
     * @param exporter closed with this
     */
    SpanQueue(int most, Duration exportTimeout, SpanExporter exporter, SpanCounts counts) {
        this.most = most;
        this.counts = counts;
        this.batches =
                BatchSpanProcessor.builder(new Watched(exporter))
                        .setMaxQueueSize(most)
                        .setMaxExportBatchSize(Math.min(most, LARGEST_BATCH))
                        .setScheduleDelay(LONGEST_DELAY)
                        .setExporterTimeout(exportTimeout)
                        .build();
    }

    /** How many wait. */
    int waiting() {
        return waiting.get();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        batches.onStart(parent, span);
    }

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return;
        }
        if (waiting.incrementAndGet() > most) {
            waiting.decrementAndGet();
            counts.dropped(1);
        } else {
            batches.onEnd(span);
        }
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public CompletableResultCode forceFlush() {
        return batches.forceFlush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return batches.shutdown();
    }

    /** Counts what is sent, and logs the first failure and the first success after one. */
    private final class Watched implements SpanExporter {
        private final SpanExporter exporter;
        private final AtomicBoolean failing = new AtomicBoolean();

        Watched(SpanExporter exporter) {
            this.exporter = exporter;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            int size = spans.size();
            waiting.addAndGet(-size);
            var result = exporter.export(spans);
            result.whenComplete(() -> ended(result, size));
            return result;
        }

        private void ended(CompletableResultCode result, int spans) {
            if (result.isSuccess()) {
                counts.exported(spans);
                if (failing.compareAndSet(true, false)) {
                    LOG.info("Spans are exported again");
                }
            } else {
                counts.failed(spans);
                if (failing.compareAndSet(false, true)) {
                    LOG.atWarn()
                            .addKeyValue("spans", spans)
                            .addKeyValue("reason", String.valueOf(result.getFailureThrowable()))
                            .log("Spans cannot be exported and are lost: check tracing.endpoint");
                }
            }
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
