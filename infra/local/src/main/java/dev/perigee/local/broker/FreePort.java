package dev.perigee.local.broker;

import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds ports that nobody listens on, and asks whether one is free. */
public final class FreePort {
    private FreePort() {}

    /** A port that was free a moment ago. */
    public static int on(String host) throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return socket.getLocalPort();
        }
    }

    /** Whether somebody else holds the port now. */
    public static boolean isTaken(HostPort address) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address.toSocketAddress());
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
