package dev.perigee.local.port;

import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Picks ports of a range, none twice. Two that pick, in whatever processes of a machine, never pick
 * the same: a port is reserved by holding the UDP port of the same number, which the kernel gives
 * to one at a time and takes back when its process ends. Any thread.
 */
final class FreePorts {
    private static final int ATTEMPTS = 1_000;

    private final PortRange range;
    private final IntUnaryOperator random;
    private final List<DatagramSocket> reservations = new ArrayList<>();

    /**
     * @param random a number below the one that is given: where in the range the search begins
     */
    FreePorts(PortRange range, IntUnaryOperator random) {
        this.range = range;
        this.random = random;
    }

    /**
     * A port that no one listens on, reserved as long as this is reachable.
     *
     * @throws IOException when none was found
     */
    synchronized int on(String host) throws IOException {
        var address = InetAddress.getByName(host);
        int start = random.applyAsInt(range.size());
        for (int step = 0; step < Math.min(range.size(), ATTEMPTS); step++) {
            int port = range.first() + (start + step) % range.size();
            var reservation = reserve(address, port);
            if (reservation == null) {
                continue;
            }
            if (FreePort.isTaken(new HostPort(host, port))) {
                reservation.close();
                continue;
            }
            reservations.add(reservation);
            return port;
        }
        throw new IOException("No free port of %s was found on %s".formatted(range, host));
    }

    private static @Nullable DatagramSocket reserve(InetAddress address, int port) {
        try {
            return new DatagramSocket(port, address);
        } catch (SocketException e) {
            return null;
        }
    }
}
