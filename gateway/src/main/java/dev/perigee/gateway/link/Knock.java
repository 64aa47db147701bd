package dev.perigee.gateway.link;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks whether a host has nobody who listens at an address. */
final class Knock {
    private static final Logger LOG = LoggerFactory.getLogger(Knock.class);

    /** Less than the kernel tries: so what it reports as failed to connect was refused. */
    private static final Duration PATIENCE = Duration.ofMillis(800);

    private Knock() {}

    /** Whether the host answers that nobody listens there; false where it says nothing. Waits. */
    static boolean isRefused(InetSocketAddress at) {
        try (var socket = new Socket()) {
            socket.connect(at, Math.toIntExact(PATIENCE.toMillis()));
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            LOG.atTrace().addKeyValue("address", at).setCause(e).log("Not refused, not reached");
            return false;
        }
    }
}
