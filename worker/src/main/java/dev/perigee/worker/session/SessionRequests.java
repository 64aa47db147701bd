package dev.perigee.worker.session;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@link AcceptedRecords} of a session behind a lock. The link's readers offer, the instances'
 * threads finish; the lock is a leaf, so both may hold their own.
 */
final class SessionRequests {
    private final Object lock = new Object();
    private final AcceptedRecords records;
    private final CallPermits permits;
    private final InstantSource clock;

    SessionRequests(RecentResults recent, CallPermits permits, InstantSource clock) {
        this.records = new AcceptedRecords(recent);
        this.permits = permits;
        this.clock = clock;
    }

    /**
     * A request arrives; one that is to run holds a permit until it is finished or withdrawn.
     *
     * @throws LinkRefusal when there is no permit: it is as if it had never come
     */
    AcceptedRecords.Verdict offer(ToolOrder.Execute order) throws LinkRefusal {
        synchronized (lock) {
            var verdict = records.offer(order, clock.instant());
            if (verdict instanceof AcceptedRecords.Verdict.Run && !isResponse(order)) {
                boolean permitted = false;
                try {
                    permits.begin(RequestId.of(order.request()), bytes(order));
                    permitted = true;
                } finally {
                    if (!permitted) {
                        records.withdraw(order);
                    }
                }
            }
            return verdict;
        }
    }

    /** It is answered at once, and the calls that wait for it may have all permits. */
    private static boolean isResponse(ToolOrder.Execute order) {
        return order.request().method().equals(ToolMethod.CALL_RESPOND.wireName());
    }

    private static long bytes(ToolOrder.Execute order) {
        return order.request().payloadBytes();
    }

    void withdraw(ToolOrder.Execute order) {
        synchronized (lock) {
            records.withdraw(order);
            permits.end(RequestId.of(order.request()));
        }
    }

    List<ToolOrder.Execute> finish(ToolOrder.Execute order, String processId, RawJson result) {
        synchronized (lock) {
            permits.end(RequestId.of(order.request()));
            return records.finish(order, processId, result, clock.instant());
        }
    }

    /** What a running request can go on from at another worker; null when it cannot. */
    void hold(ToolOrder.Execute order, @Nullable RawJson resume) {
        synchronized (lock) {
            records.hold(order, resume);
        }
    }

    /** It has no result on this worker; while the session lasts it is known as it was. */
    void handOver(ToolOrder.Execute order) {
        synchronized (lock) {
            permits.end(RequestId.of(order.request()));
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

    void forgetOld() {
        synchronized (lock) {
            records.forgetOld(clock.instant());
        }
    }

    void end() {
        synchronized (lock) {
            records.end();
        }
    }

    int runningCount() {
        synchronized (lock) {
            return records.runningCount();
        }
    }
}
