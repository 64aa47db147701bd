package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of an owner to its worker, without answers. Sent at once while attached; cumulative
 * ones again after each attach. Any thread; nothing blocks.
 */
final class SessionNotices {
    private final int partition;
    private final CreditWindow credit;
    private final ReentrantLock lock = new ReentrantLock();
    private final AckLedger ledger = new AckLedger();
    private @Nullable LinkConnection connection;

    SessionNotices(int partition, CreditWindow credit) {
        this.partition = partition;
        this.credit = credit;
    }

    void ack(SessionNotice.Ack ack) {
        lock.lock();
        try {
            ledger.ack(ack);
            tell(LinkMethod.ACK, ack);
        } finally {
            lock.unlock();
        }
    }

    void credit(long bytes) {
        lock.lock();
        try {
            credit.returned(bytes);
            tellCredit();
        } finally {
            lock.unlock();
        }
    }

    void committed(String topic, long offset) {
        lock.lock();
        try {
            ledger.committed(topic, offset);
            tell(LinkMethod.COMMITTED, new SessionNotice.Committed(partition, topic, offset));
        } finally {
            lock.unlock();
        }
    }

    /** Tells again what may have been lost with the last connection. */
    void attached(LinkConnection via, Attach.Result result) {
        lock.lock();
        try {
            connection = via;
            var acks = ledger.acks(result);
            if (!acks.isEmpty()) {
                tell(LinkMethod.ACK, new SessionNotice.Ack(partition, acks));
            }
            for (var commit : ledger.committed().entrySet()) {
                tell(
                        LinkMethod.COMMITTED,
                        new SessionNotice.Committed(partition, commit.getKey(), commit.getValue()));
            }
            tellCredit();
        } finally {
            lock.unlock();
        }
    }

    void suspended(LinkConnection closed) {
        lock.lock();
        try {
            if (connection == closed) {
                connection = null;
            }
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            connection = null;
        } finally {
            lock.unlock();
        }
    }

    private void tellCredit() {
        if (connection != null) {
            var bytes = credit.takeReturned();
            if (bytes > 0) {
                tell(LinkMethod.CREDIT, new SessionNotice.Credit(partition, bytes));
            }
        }
    }

    private void tell(String method, Object notice) {
        var via = connection;
        if (via != null) {
            via.tell(method, notice);
        }
    }
}
