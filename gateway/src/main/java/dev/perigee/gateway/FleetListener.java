package dev.perigee.gateway;

import dev.perigee.gateway.link.WorkerListener;
import dev.perigee.gateway.outbound.Delivery;
import dev.perigee.gateway.outbound.FastPublisher;
import dev.perigee.gateway.outbound.PublicRecords;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.topic.TopicNames;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Publishes heartbeats, of each worker one at a time and the newest next, and notifies the owners
 * of partitions when a worker came or went.
 */
final class FleetListener implements WorkerListener {
    private final FastPublisher fast;
    private final PublicRecords records;
    private final Map<String, RawJson> newest = new ConcurrentHashMap<>();
    private volatile @Nullable Runnable owners;

    FleetListener(FastPublisher fast, TopicNames names, InstantSource clock) {
        this.fast = fast;
        this.records = new PublicRecords(names, clock);
    }

    /** Owners ask for workers themselves when they begin, so nothing is missed before this. */
    void feed(Runnable workersChanged) {
        owners = workersChanged;
    }

    @Override
    public void changed() {
        var told = owners;
        if (told != null) {
            told.run();
        }
    }

    @Override
    public void heartbeat(String workerId, RawJson heartbeat) {
        if (newest.put(workerId, heartbeat) == null) {
            publish(workerId);
        }
    }

    /** On a thread of its own: neither a link nor the producer may wait for room. */
    private void publish(String workerId) {
        var heartbeat = newest.get(workerId);
        if (heartbeat != null) {
            var record = records.heartbeat(workerId, heartbeat);
            Thread.ofVirtual()
                    .name("publish-heartbeat")
                    .start(() -> fast.publish(record, new Published(workerId, heartbeat)));
        }
    }

    private final class Published implements Delivery {
        private final String workerId;
        private final RawJson heartbeat;

        Published(String workerId, RawJson heartbeat) {
            this.workerId = workerId;
            this.heartbeat = heartbeat;
        }

        @Override
        public void delivered() {
            if (!newest.remove(workerId, heartbeat)) {
                publish(workerId);
            }
        }

        @Override
        public void tooLarge() {
            delivered();
        }
    }
}
