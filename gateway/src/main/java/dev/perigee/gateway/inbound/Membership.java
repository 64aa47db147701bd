package dev.perigee.gateway.inbound;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;

/**
 * The newest {@link GroupView}, written by the poll loop and read by the publishers that write in
 * the name of a partition. Thread-safe.
 */
public final class Membership {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile GroupView view = GroupView.NONE;

    /** The newest view. */
    public GroupView view() {
        return view;
    }

    /** Waits until the view is another than {@code seen}, at most as long as said. */
    public void awaitOtherThan(GroupView seen, Duration atMost) throws InterruptedException {
        long nanos = atMost.toNanos();
        lock.lockInterruptibly();
        try {
            while (view.equals(seen) && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Some tenures ended; what is known of the generation stays. For the poll loop. */
    void retain(Map<Integer, Long> tenures) {
        var metadata = view.metadata();
        if (metadata != null) {
            update(metadata, tenures);
        }
    }

    /** A new view; for the poll loop, and for tests of those who read it. */
    public void update(ConsumerGroupMetadata metadata, Map<Integer, Long> tenures) {
        if (metadata.equals(view.metadata()) && tenures.equals(view.tenures())) {
            return;
        }
        lock.lock();
        try {
            view = new GroupView(metadata, tenures);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
