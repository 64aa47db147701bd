package dev.perigee.testing.fleet;

import static org.awaitility.Awaitility.await;

import dev.perigee.local.port.FreePort;
import dev.perigee.testing.Fixtures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fixture A or R over streamable HTTP, on a free port of this machine. */
final class AskingServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int port;
    private final Process process;

    private AskingServer(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    /** Starts A and waits until it accepts connections. */
    static AskingServer started() throws IOException {
        return started(Asking.arguments());
    }

    /**
     * The same.
     *
     * @param arguments of node that start the fixture over pipes
     */
    static AskingServer started(List<String> arguments) throws IOException {
        int port = FreePort.on("127.0.0.1");
        var command = new ArrayList<>(List.of(Fixtures.NODE));
        command.addAll(arguments);
        command.addAll(List.of("http", Integer.toString(port)));
        var process =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var server = new AskingServer(port, process);
        await().atMost(PATIENCE).until(() -> !process.isAlive() || server.accepts());
        if (!process.isAlive()) {
            throw new IOException("The asking server ended: " + process.exitValue());
        }
        return server;
    }

    private boolean accepts() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port + "/mcp");
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
