package dev.perigee.local.port;

import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for what has to be known before it listens, or has to be the same when it is started again.
 * What can listen at port 0 and say what it got does that instead. Any thread.
 */
public final class FreePort {
    /** One for the JVM: whatever it starts keeps its ports until the JVM ends. */
    private static final FreePorts PORTS =
            new FreePorts(
                    PortRange.besides(PortRange.ephemeral()),
                    bound -> ThreadLocalRandom.current().nextInt(bound));

    private FreePort() {}

    /**
     * A port that no one listens on. The kernel gives it to none who asks for any port, and no one
     * else who asks here gets it as long as this JVM lives.
     *
     * @throws IOException when there is none
     */
    public static int on(String host) throws IOException {
        return PORTS.on(host);
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
