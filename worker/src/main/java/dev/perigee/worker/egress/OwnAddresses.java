package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that lead to this machine, and so to the worker itself: loopback, the unspecified one,
 * those that an interface has, and IPv6 ones that lead to one of these. What interfaces have is
 * read anew at most once in {@link #KEPT}, since the system takes long for it and programs ask as
 * often as they connect. Safe for use by any thread.
 */
final class OwnAddresses implements Predicate<InetAddress> {
    static final Duration KEPT = Duration.ofSeconds(1);

    private final Reading reading;
    private final LongSupplier nanos;
    private volatile @Nullable Known known;

    /** Asks the system. */
    @FunctionalInterface
    interface Reading {
        Set<InetAddress> now() throws SocketException;
    }

    /** Null where nobody can tell. */
    private record Known(@Nullable Set<InetAddress> addresses, long atNanos) {}

    OwnAddresses(Reading reading, LongSupplier nanos) {
        this.reading = reading;
        this.nanos = nanos;
    }

    static OwnAddresses ofThisMachine() {
        return new OwnAddresses(
                () ->
                        NetworkInterface.networkInterfaces()
                                .flatMap(NetworkInterface::inetAddresses)
                                .collect(Collectors.toUnmodifiableSet()),
                System::nanoTime);
    }

    @Override
    public boolean test(InetAddress address) {
        var reached = Internet.reached(address);
        return isLocal(address)
                || isLocal(reached)
                || isOfInterface(address)
                || (!reached.equals(address) && isOfInterface(reached));
    }

    /** Any of 127.0.0.0/8 is, and the system takes the unspecified address for loopback's. */
    private static boolean isLocal(InetAddress address) {
        return address.isLoopbackAddress() || address.isAnyLocalAddress();
    }

    private boolean isOfInterface(InetAddress address) {
        var addresses = addresses();
        return addresses == null || addresses.contains(address);
    }

    private @Nullable Set<InetAddress> addresses() {
        long now = nanos.getAsLong();
        var last = known;
        if (last == null || now - last.atNanos() >= KEPT.toNanos()) {
            last = new Known(read(), now);
            known = last;
        }
        return last.addresses();
    }

    private @Nullable Set<InetAddress> read() {
        try {
            return reading.now();
        } catch (SocketException e) {
            return null;
        }
    }
}
