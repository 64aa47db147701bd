package dev.perigee.gateway.partition;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What owners count and measure. Any thread. */
public final class GatewayMetrics {
    private final MeterProvider<Counter> recordsIn;
    private final MeterProvider<Counter> commands;
    private final MeterProvider<Counter> duplicates;
    private final MeterProvider<Counter> requests;
    private final MeterProvider<Counter> sessionEnds;
    private final MeterProvider<Counter> moves;
    private final MeterProvider<Counter> failures;
    private final Timer call;
    private final Timer restore;

    public GatewayMetrics(MeterRegistry registry) {
        this.recordsIn = counters(registry, "records.in", "Records read, by topic");
        this.commands = counters(registry, "commands", "Commands that ended, by outcome");
        this.duplicates =
                counters(registry, "duplicates", "Records whose id was there before, not run");
        this.requests =
                counters(registry, "requests", "Requests answered, by whom and with which error");
        this.sessionEnds =
                counters(registry, "session.ends", "Sessions with workers that ended, by reason");
        this.moves = counters(registry, "moves", "Partitions that left a worker, by manner");
        this.failures = counters(registry, "failures", "Defects that were survived: see the log");
        this.call =
                Timer.builder("perigee.gateway.call")
                        .description("From a request's append to its result's acknowledgement")
                        .publishPercentileHistogram()
                        .register(registry);
        this.restore =
                Timer.builder("perigee.gateway.restore")
                        .description("From claiming a partition to knowing its state")
                        .register(registry);
    }

    private static MeterProvider<Counter> counters(
            MeterRegistry registry, String name, String description) {
        return Counter.builder("perigee.gateway." + name)
                .description(description)
                .withRegistry(registry);
    }

    void received(String topic, int records) {
        recordsIn.withTags("topic", topic).increment(records);
    }

    void commandEnded(Enum<?> outcome) {
        commands.withTags("outcome", lower(outcome)).increment();
    }

    void duplicate(String topic) {
        duplicates.withTags("topic", topic).increment();
    }

    /** A request ended: by the worker's result, or by an error of the gateway's. */
    void requestEnded(@Nullable Enum<?> code, Duration sinceAppend) {
        requests.withTags(
                        "answered_by",
                        code == null ? "worker" : "gateway",
                        "code",
                        code == null ? "none" : lower(code))
                .increment();
        call.record(sinceAppend.isNegative() ? Duration.ZERO : sinceAppend);
    }

    void restored(Duration took) {
        restore.record(took);
    }

    void sessionEnded(String reason) {
        sessionEnds.withTags("reason", reason).increment();
    }

    void moved(Enum<?> manner) {
        moves.withTags("manner", lower(manner)).increment();
    }

    void failure(String where) {
        failures.withTags("where", where).increment();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
