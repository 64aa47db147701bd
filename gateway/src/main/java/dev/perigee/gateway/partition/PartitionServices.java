package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.outbound.DeadLetters;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.gateway.outbound.Replies;
import dev.perigee.gateway.outbound.TransactionalPublisher;
import dev.perigee.gateway.quarantine.QuarantineRules;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.topic.TopicNames;
import java.time.InstantSource;

/**
 * Services that the owners of all partitions share, each of them thread-safe.
 *
 * @param partitions how many process partitions there are
 * @param seal encrypts secrets of the state topic
 * @param hosts decides which worker a partition goes to
 * @param quarantine decides which instances start alone since workers died
 * @param limits of each user
 * @param installations how many a user and a team may have
 * @param processIds who has which process id in the fleet
 * @param arguments the memory of all partitions for those of open requests
 * @param requestIds how many ids of answered requests all partitions remember together
 * @param metrics the gateway's own measurements
 */
public record PartitionServices(
        String gatewayId,
        int partitions,
        TopicNames names,
        RecordReader reader,
        PublicRecords records,
        TransactionalPublisher transactions,
        FastPublisher fast,
        Replies replies,
        DeadLetters deadLetters,
        GroupOffsets offsets,
        StateReader state,
        StateSeal seal,
        WorkerLinks links,
        HostChooser hosts,
        PartitionTimes times,
        QuarantineRules quarantine,
        UserLimits limits,
        Installations installations,
        ProcessIdOwners processIds,
        OpenArguments arguments,
        IdBudget requestIds,
        InstantSource clock,
        GatewayMetrics metrics) {}
