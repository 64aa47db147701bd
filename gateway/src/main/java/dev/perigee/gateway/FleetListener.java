package dev.perigee.gateway;

import dev.perigee.gateway.link.WorkerListener;
import dev.perigee.gateway.outbound.Delivery;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.gateway.partition.Partitions;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.TopicNames;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Publishes heartbeats and tells the owners of partitions when a worker came or went. */
final class FleetListener implements WorkerListener {
    private final FastPublisher fast;
    private final PublicRecords records;
    private volatile @Nullable Partitions partitions;

    FleetListener(FastPublisher fast, TopicNames names, InstantSource clock) {
        this.fast = fast;
        this.records = new PublicRecords(names, clock);
    }

    /** Owners ask for workers themselves when they begin, so nothing is missed before this. */
    void feed(Partitions owners) {
        partitions = owners;
    }

    @Override
    public void changed() {
        var owners = partitions;
        if (owners != null) {
            owners.workersChanged();
        }
    }

    @Override
    public void heartbeat(String workerId, RawJson heartbeat) {
        fast.publish(records.heartbeat(workerId, heartbeat), Delivery.IGNORED);
    }
}
