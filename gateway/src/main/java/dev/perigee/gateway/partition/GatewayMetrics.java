package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.placement.Move;
import dev.perigee.gateway.quarantine.Standing;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of owners. Thread-safe. All counters are registered at the start, so that the first
 * occurrence is an increase.
 */
public final class GatewayMetrics {
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60)
    };

    /** Why a session ended that another gateway took. */
    static final String FENCED = "fenced";

    /** Where a defect was survived. */
    enum Where {
        OWNER,
        RECORD,
        CALL,
        CANCEL,
        ORDER,
        COMMANDS_END,
        MOVER
    }

    private final MeterProvider<Counter> recordsIn;
    private final MeterProvider<Counter> commands;
    private final MeterProvider<Counter> duplicates;
    private final MeterProvider<Counter> requests;
    private final Counter answeredByWorker;
    private final MeterProvider<Counter> sessionEnds;
    private final MeterProvider<Counter> moves;
    private final MeterProvider<Counter> quarantines;
    private final Counter deaths;
    private final MeterProvider<Counter> failures;
    private final Timer call;
    private final Timer queued;
    private final Timer restore;

    public GatewayMetrics(MeterRegistry registry, TopicNames names) {
        this.recordsIn = counters(registry, "records.in", "Records read, by topic");
        this.commands = counters(registry, "commands", "Commands that ended, by outcome");
        this.duplicates = counters(registry, "duplicates", "Repeated ids, not run again");
        this.requests =
                counters(registry, "requests", "Requests answered, by whom and with which error");
        this.answeredByWorker = requests.withTags("answered_by", "worker", "code", "none");
        this.sessionEnds =
                counters(registry, "session.ends", "Sessions with workers that ended, by reason");
        this.moves = counters(registry, "moves", "Partitions that left a worker, by manner");
        this.quarantines =
                counters(registry, "quarantines", "Changes of quarantine, by the new standing");
        this.deaths =
                Counter.builder("perigee.gateway.deaths")
                        .description("Deaths of workers, counted by each partition served there")
                        .register(registry);
        this.failures =
                counters(registry, "failures", "Internal errors recovered from: see the log");
        this.call =
                Timer.builder("perigee.gateway.call")
                        .description("From a request's append to its result's acknowledgement")
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry);
        this.queued =
                Timer.builder("perigee.gateway.call.queued")
                        .description("From a request's append to its being sent to a worker")
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry);
        this.restore =
                Timer.builder("perigee.gateway.restore")
                        .description("From claiming a partition to its state being restored")
                        .register(registry);
        begin(names);
    }

    private void begin(TopicNames names) {
        begin(recordsIn, "topic", Stream.of(Topic.COMMANDS, Topic.TOOL_REQUESTS).map(names::of));
        begin(commands, "outcome", lower(CommandOutcome.values()));
        begin(duplicates, "topic", Stream.of("commands", "tool-requests"));
        begin(sessionEnds, "reason", Stream.concat(Stream.of(FENCED), lower(LinkFailure.values())));
        begin(moves, "manner", lower(Move.Manner.values()));
        begin(quarantines, "standing", Stream.of("free", "waits", "held"));
        begin(failures, "where", lower(Where.values()));
        for (var code : ErrorCode.values()) {
            var _ = requests.withTags("answered_by", "gateway", "code", lower(code));
        }
    }

    private static void begin(MeterProvider<Counter> counters, String tag, Stream<String> values) {
        values.forEach(
                value -> {
                    var _ = counters.withTags(tag, value);
                });
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
        var answered =
                code == null
                        ? answeredByWorker
                        : requests.withTags("answered_by", "gateway", "code", lower(code));
        answered.increment();
        call.record(sinceAppend.isNegative() ? Duration.ZERO : sinceAppend);
    }

    void restored(Duration took) {
        restore.record(took);
    }

    /** A request is handed to the link for the first time, or again after it surely did not run. */
    void sent(Duration sinceAppend) {
        queued.record(sinceAppend.isNegative() ? Duration.ZERO : sinceAppend);
    }

    void sessionEnded(String reason) {
        sessionEnds.withTags("reason", reason).increment();
    }

    void moved(Enum<?> manner) {
        moves.withTags("manner", lower(manner)).increment();
    }

    /** A worker died under what runs in a partition. */
    void deathCounted() {
        deaths.increment();
    }

    /** An instance may run, or may not, since workers died under it. */
    void quarantined(Standing standing) {
        var name =
                switch (standing) {
                    case Standing.Free() -> "free";
                    case Standing.Waits _ -> "waits";
                    case Standing.Held _ -> "held";
                };
        quarantines.withTags("standing", name).increment();
    }

    void failure(Where where) {
        failures.withTags("where", lower(where)).increment();
    }

    private static Stream<String> lower(Enum<?>[] constants) {
        return Stream.of(constants).map(GatewayMetrics::lower);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
