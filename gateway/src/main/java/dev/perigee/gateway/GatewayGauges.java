package dev.perigee.gateway;

import dev.perigee.gateway.admin.Readiness;
import dev.perigee.gateway.inbound.BrokerClock;
import dev.perigee.gateway.outbound.Backlog;
import dev.perigee.gateway.outbound.TopicHealth;
import dev.perigee.gateway.partition.OwnerState;
import dev.perigee.gateway.partition.Partitions;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gauges of a gateway, computed at each reading. */
record GatewayGauges(MeterRegistry registry, InstantSource clock) {

    /** How many partitions there are, by what their owners are doing, and what they have open. */
    void partitions(Partitions partitions, TopicNames names) {
        for (var state : OwnerState.values()) {
            Gauge.builder("perigee.gateway.partitions", partitions, owners -> count(owners, state))
                    .description("Partitions of this gateway, by what their owners are doing")
                    .tag("state", state.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        for (var topic : List.of(Topic.COMMANDS, Topic.TOOL_REQUESTS)) {
            Gauge.builder("perigee.gateway.records.open", partitions, owners -> owners.open(topic))
                    .description("Records read and not completed: waiting or at a worker")
                    .tag("topic", names.of(topic))
                    .register(registry);
        }
        Gauge.builder("perigee.gateway.state.outdated", partitions, Partitions::outdatedSecrets)
                .description("Secrets in the state topic that the current key has not encrypted")
                .register(registry);
        Gauge.builder("perigee.gateway.quarantined", partitions, Partitions::quarantined)
                .description("Installations that wait or are held since workers died under them")
                .register(registry);
    }

    /** How much of the memory of answered requests is in use. */
    void requestIds(IdBudget ids) {
        Gauge.builder("perigee.gateway.requests.remembered", ids, IdBudget::used)
                .description("Ids of requests that are open or were answered a while ago")
                .register(registry);
        Gauge.builder("perigee.gateway.requests.remembered.limit", ids, IdBudget::limit)
                .description("request.memory-bytes: from here on new requests are refused")
                .register(registry);
    }

    /** How much of a budget of memory is in use, by the setting that it is of. */
    void memory(String what, ByteBudget budget) {
        Gauge.builder("perigee.gateway.memory.used", budget, ByteBudget::used)
                .description("Memory in use of what is open, by its setting memory.*")
                .baseUnit("bytes")
                .tag("what", what)
                .register(registry);
        Gauge.builder("perigee.gateway.memory.limit", budget, ByteBudget::limit)
                .description("Memory for what is open, by its setting memory.*")
                .baseUnit("bytes")
                .tag("what", what)
                .register(registry);
    }

    /** What {@code /health/ready} says. */
    void ready(Readiness readiness) {
        Gauge.builder("perigee.gateway.ready", readiness, it -> it.obstacles().isEmpty() ? 1 : 0)
                .description("1 when nothing keeps the gateway from serving, as in /health/ready")
                .register(registry);
    }

    /** Since when brokers do not answer, or do not take what is written. */
    void broker(BrokerWatch watch, Map<String, Backlog> backlogs) {
        Gauge.builder("perigee.gateway.broker.away", watch, it -> since(it.awaySince()))
                .description("For how long no broker has answered, 0 while one does")
                .baseUnit("seconds")
                .register(registry);
        backlogs.forEach(
                (what, backlog) ->
                        Gauge.builder(
                                        "perigee.gateway.publish.stalled",
                                        backlog,
                                        it -> since(it.held().since()))
                                .description(
                                        "For how long Kafka has acknowledged nothing of what is"
                                                + " held, 0 when nothing is")
                                .baseUnit("seconds")
                                .tag("what", what.replace(' ', '_'))
                                .register(registry));
    }

    /** How far this machine's clock is from the brokers'. */
    void clock(BrokerClock brokers) {
        Gauge.builder("perigee.gateway.clock.ahead", brokers, GatewayGauges::ahead)
                .description(
                        "How far this machine's clock is ahead of the brokers', negative behind;"
                                + " NaN while it cannot be compared")
                .baseUnit("seconds")
                .register(registry);
    }

    private static double ahead(BrokerClock brokers) {
        var by = brokers.ahead();
        return by == null ? Double.NaN : by.toMillis() / 1000.0;
    }

    /** Which topics cannot be used, and whether a fleet runs without them. */
    void topics(TopicHealth health, TopicNames names) {
        for (var topic : Topic.values()) {
            Gauge.builder(
                            "perigee.gateway.topic.unusable",
                            health,
                            it -> it.troubles().containsKey(topic) ? 1 : 0)
                    .description("1 while the topic cannot be used, as in /health/ready")
                    .tag("topic", names.of(topic))
                    .tag("optional", String.valueOf(topic.isOptional()))
                    .register(registry);
        }
    }

    private double since(@Nullable Instant time) {
        return time == null ? 0 : Duration.between(time, clock.instant()).toMillis() / 1000.0;
    }

    private static double count(Partitions partitions, OwnerState state) {
        return partitions.states().values().stream().filter(state::equals).count();
    }
}
