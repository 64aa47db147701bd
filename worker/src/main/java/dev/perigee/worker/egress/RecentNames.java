package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks the system, and keeps what it answered for {@link #KEPT}, of the latest {@value #MOST}
 * hosts: the JVM's own cache is off, since what it answers is not compared with the policy. Safe
 * for use by any thread; no lookup holds another one up.
 */
final class RecentNames implements Names {
    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final int MOST = 1024;

    private final Map<String, Answer> answers =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
                    return size() > MOST;
                }
            };

    private record Answer(List<InetAddress> addresses, long atNanos) {
        boolean isRecent() {
            return System.nanoTime() - atNanos < KEPT.toNanos();
        }
    }

    @Override
    public List<InetAddress> addresses(String host, Lookup system) throws UnknownHostException {
        synchronized (answers) {
            var answer = answers.get(host);
            if (answer != null && answer.isRecent()) {
                return answer.addresses();
            }
        }
        var found = List.copyOf(system.now());
        synchronized (answers) {
            answers.remove(host);
            answers.put(host, new Answer(found, System.nanoTime()));
        }
        return found;
    }
}
