package dev.perigee.worker.session;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.InstantSource;
import java.util.List;

/**
 * The {@link AcceptedRecords} of a session behind a lock. The link's readers offer, the instances'
 * threads finish; the lock is a leaf, so both may hold their own.
 */
final class SessionRequests {
    private final Object lock = new Object();
    private final AcceptedRecords records;
    private final InstantSource clock;

    SessionRequests(RecentResults.Limits limits, InstantSource clock) {
        this.records = new AcceptedRecords(new RecentResults(limits));
        this.clock = clock;
    }

    AcceptedRecords.Verdict offer(ToolOrder.Execute order) {
        synchronized (lock) {
            return records.offer(order, clock.instant());
        }
    }

    void withdraw(ToolOrder.Execute order) {
        synchronized (lock) {
            records.withdraw(order);
        }
    }

    List<ToolOrder.Execute> finish(ToolOrder.Execute order, String processId, RawJson result) {
        synchronized (lock) {
            return records.finish(order, processId, result, clock.instant());
        }
    }

    void acknowledge(List<RecordOrigin> origins) {
        synchronized (lock) {
            origins.forEach(records::acknowledge);
        }
    }

    void commit(String topic, int partition, long offset) {
        synchronized (lock) {
            records.commit(topic, partition, offset);
        }
    }

    List<Attach.AcceptedRecord> list() {
        synchronized (lock) {
            return records.list();
        }
    }

    int runningCount() {
        synchronized (lock) {
            return records.runningCount();
        }
    }
}
