package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * By which names a process got to know addresses, for {@link #KEPT} after each lookup: the latest
 * {@value #MOST_NAMES} names of the latest {@value #MOST} addresses. Used by one thread.
 */
final class AdmittedNames {
    static final Duration KEPT = Duration.ofMinutes(5);
    static final int MOST = 1024;
    static final int MOST_NAMES = 4;

    private final LongSupplier nanos;
    private final Map<InetAddress, ArrayDeque<Known>> names =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(
                        Map.Entry<InetAddress, ArrayDeque<Known>> eldest) {
                    return size() > MOST;
                }
            };

    private record Known(String name, long atNanos) {}

    AdmittedNames(LongSupplier nanos) {
        this.nanos = nanos;
    }

    void add(InetAddress address, String name) {
        var known = names.remove(address);
        if (known == null) {
            known = new ArrayDeque<>(1);
        }
        known.removeIf(one -> one.name().equals(name) || isOld(one));
        if (known.size() == MOST_NAMES) {
            known.removeFirst();
        }
        known.addLast(new Known(name, nanos.getAsLong()));
        names.put(address, known);
    }

    /** The names of an address, the latest last. */
    List<String> of(InetAddress address) {
        var known = names.get(address);
        if (known == null) {
            return List.of();
        }
        known.removeIf(this::isOld);
        return known.stream().map(Known::name).toList();
    }

    private boolean isOld(Known one) {
        return nanos.getAsLong() - one.atNanos() >= KEPT.toNanos();
    }
}
