package dev.perigee.bench.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketUpgradeHandler;

/**
 * The least that a worker does: a WebSocket, one MCP server, a line to it for each message and a
 * message for each line of it.
 */
public final class RelayWorker extends RelaySocket {
    /** What an answer begins with, as both trivial servers write it. */
    static final String ANSWER_BEFORE_ID = "{\"jsonrpc\":\"2.0\",\"id\":\"";

    private static final byte[] BEFORE_ID = ANSWER_BEFORE_ID.getBytes(ISO_8859_1);
    private static final byte[] AFTER_ID =
            """
            ","method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
            """
                    .getBytes(ISO_8859_1);
    private static final int CHUNK_BYTES = 64 << 10;

    private final OutputStream input;
    private final int offset;

    private RelayWorker(OutputStream input, int offset) {
        this.input = input;
        this.offset = offset;
    }

    /** Arguments: offset of the id in a request, the server's command. */
    public static void main(String[] arguments) throws Exception {
        var given = List.of(arguments);
        var builder = new ProcessBuilder(given.subList(1, given.size()));
        var child = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        var relay = new RelayWorker(child.getOutputStream(), Integer.parseInt(given.get(0)));
        var reader = Thread.ofPlatform().name("relay-pipe").daemon();
        reader.start(() -> relay.read(child.getInputStream()));
        var server = new Server();
        var connector = new ServerConnector(server, 0, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        var upgrade = new WebSocketUpgradeHandler();
        upgrade.addMapping(
                "/",
                WebSocketNegotiator.from(
                        (request, response, callback) -> {
                            response.setExtensions(List.of());
                            return relay;
                        },
                        (handler, request, response) -> relay,
                        configuration -> configuration.setIdleTimeout(Duration.ZERO)));
        server.setHandler(upgrade);
        server.start();
        try {
            HelperJvm.serve("ws://127.0.0.1:" + connector.getLocalPort() + "/");
        } finally {
            server.stop();
            child.destroy();
        }
    }

    @Override
    void message(ByteBuffer request) {
        var line = ByteBuffer.allocate(BEFORE_ID.length + EchoRequests.ID_BYTES + AFTER_ID.length);
        line.put(BEFORE_ID)
                .put(request.slice(request.position() + offset, EchoRequests.ID_BYTES))
                .put(AFTER_ID);
        try {
            input.write(line.array());
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(InputStream output) {
        var chunk = new byte[CHUNK_BYTES];
        var rest = new ByteArrayOutputStream();
        try {
            for (int length; (length = output.read(chunk)) >= 0; ) {
                int begin = 0;
                var lines = new ArrayList<byte[]>();
                for (int i = 0; i < length; i++) {
                    if (chunk[i] == '\n') {
                        rest.write(chunk, begin, i - begin);
                        lines.add(rest.toByteArray());
                        rest.reset();
                        begin = i + 1;
                    }
                }
                rest.write(chunk, begin, length - begin);
                send(lines);
            }
        } catch (IOException e) {
            // The server ended, or this process is about to.
        }
    }

    private void send(List<byte[]> lines) {
        var open = session();
        if (open == null) {
            return;
        }
        int left = lines.size();
        for (var line : lines) {
            left--;
            open.sendFrame(new Frame(OpCode.TEXT, ByteBuffer.wrap(line)), Callback.NOOP, left > 0);
        }
    }
}
