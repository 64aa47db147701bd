package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Asks the system, and keeps what counts of its answer for {@link #KEPT}, of the latest {@value
 * #MOST} hosts: the JVM's own cache is off, since what it answers is not compared with the policy.
 * Safe for use by any thread; no lookup holds another one up.
 */
final class RecentNames implements Names {
    static final Duration KEPT = Duration.ofSeconds(10);
    static final int MOST = 1024;

    private final LongSupplier nanos;

    /** The oldest first. */
    private final Map<String, Answer> answers =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
                    return size() > MOST;
                }
            };

    private record Answer(List<InetAddress> addresses, long atNanos) {}

    RecentNames(LongSupplier nanos) {
        this.nanos = nanos;
    }

    @Override
    public List<InetAddress> addresses(String host, Lookup system) throws UnknownHostException {
        synchronized (answers) {
            var answer = answers.get(host);
            if (answer != null && isRecent(answer)) {
                return answer.addresses();
            }
        }
        var found = Names.first(system.now());
        synchronized (answers) {
            dropOld();
            answers.remove(host);
            answers.put(host, new Answer(found, nanos.getAsLong()));
        }
        return found;
    }

    private void dropOld() {
        var oldest = answers.values().iterator();
        while (oldest.hasNext() && !isRecent(oldest.next())) {
            oldest.remove();
        }
    }

    private boolean isRecent(Answer answer) {
        return nanos.getAsLong() - answer.atNanos() < KEPT.toNanos();
    }

    /** Of how many hosts something is kept. */
    int hosts() {
        synchronized (answers) {
            return answers.size();
        }
    }
}
