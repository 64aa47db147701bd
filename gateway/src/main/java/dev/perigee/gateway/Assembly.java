package dev.perigee.gateway;

import dev.perigee.gateway.inbound.BrokerClock;
import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.inbound.ReplyTopics;
import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.outbound.DeadLetters;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.gateway.outbound.Replies;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.gateway.partition.GatewayMetrics;
import dev.perigee.gateway.partition.GroupOffsets;
import dev.perigee.gateway.partition.PartitionServices;
import dev.perigee.gateway.partition.PartitionTimes;
import dev.perigee.gateway.partition.ProcessIdOwners;
import dev.perigee.gateway.partition.StateReader;
import dev.perigee.gateway.placement.PlacementSettings;
import dev.perigee.gateway.quarantine.QuarantineSettings;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;

/** Puts together what the owners of partitions share, from the settings and the I/O parts. */
record Assembly(
        Settings settings,
        String gatewayId,
        TopicNames names,
        int partitions,
        InstantSource clock,
        BrokerClock brokers,
        MeterRegistry registry) {
    private static final Duration DETACH = Duration.ofSeconds(2);

    PartitionServices services(
            FastPublisher fast,
            Replies replies,
            TransactionalPublisher transactions,
            GroupOffsets offsets,
            StateReader state,
            StateSeal seal,
            WorkerLinks links,
            Fleet fleet) {
        return new PartitionServices(
                gatewayId,
                partitions,
                names,
                reader(),
                new PublicRecords(names, clock),
                transactions,
                fast,
                replies,
                new DeadLetters(fast, names, registry),
                offsets,
                state,
                seal,
                links,
                (partition, recorded, held) ->
                        fleet.place(partition, recorded, held, links.workers(), SteadyTime.now()),
                times(),
                QuarantineSettings.rules(settings),
                LimitSettings.read(settings, settings.value(GatewaySettings.OPEN_RECORDS)),
                LimitSettings.installations(settings),
                new ProcessIdOwners(),
                MemorySettings.arguments(settings),
                requestIds(),
                clock,
                new GatewayMetrics(registry, names));
    }

    private RecordReader reader() {
        return new RecordReader(
                new ReplyTopics(names, settings.value(GatewaySettings.REPLY_TOPICS)),
                partitions,
                settings.value(GatewaySettings.MAX_RECORD),
                settings.value(GatewaySettings.REQUEST_TIMEOUT),
                settings.value(GatewaySettings.LONGEST_INPUT),
                brokers,
                settings.value(GatewaySettings.PLAIN_SECRETS),
                settings.valueOrNull(GatewaySettings.STATE_KEYS) != null);
    }

    private IdBudget requestIds() {
        var bytes = settings.valueOrNull(GatewaySettings.REQUEST_MEMORY_BYTES);
        return bytes == null ? IdBudget.ofHeap() : IdBudget.ofBytes(bytes);
    }

    private PartitionTimes times() {
        return new PartitionTimes(
                settings.value(GatewaySettings.UNKNOWN_SERVER),
                settings.value(GatewaySettings.SILENCE),
                settings.value(GatewaySettings.COMMAND_TIMEOUT),
                settings.value(GatewaySettings.COMMAND_MEMORY),
                settings.value(GatewaySettings.REQUEST_MEMORY),
                DETACH,
                settings.value(PlacementSettings.DRAIN_CALL_WAIT));
    }
}
