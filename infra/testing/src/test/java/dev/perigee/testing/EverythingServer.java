package dev.perigee.testing;

import static org.awaitility.Awaitility.await;

import dev.perigee.local.port.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** server-everything from npm, served over HTTP at one address, with pauses. */
public final class EverythingServer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String mode;
    private final int port;
    private @Nullable Process process;

    private EverythingServer(String mode, int port) {
        this.mode = mode;
        this.port = port;
    }

    /**
     * Starts it on a free port and waits until it accepts connections.
     *
     * @param mode {@code streamableHttp} or {@code sse}
     */
    public static EverythingServer started(String mode) throws IOException {
        var server = new EverythingServer(mode, FreePort.on("127.0.0.1"));
        server.start();
        return server;
    }

    /** Where it is, whether it runs or not. */
    public URI url() {
        var path = mode.equals("sse") ? "sse" : "mcp";
        return URI.create("http://127.0.0.1:" + port + "/" + path);
    }

    /** Starts it where it was before. */
    public void start() throws IOException {
        var script = NpmServers.installed().entry("everything").toString();
        var builder =
                new ProcessBuilder(Fixtures.NODE, script, mode)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("PORT", Integer.toString(port));
        var started = builder.start();
        process = started;
        await().atMost(PATIENCE).until(() -> !started.isAlive() || accepts());
        if (!started.isAlive()) {
            throw new IOException("server-everything ended: " + started.exitValue());
        }
    }

    private boolean accepts() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Kills it, as a crash would. */
    public void stop() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
