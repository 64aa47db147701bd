package dev.perigee.bench.load;

import dev.perigee.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The least that any MCP client costs: one server, its pipes, one thread that reads. */
public final class PipeEcho implements EchoPath, AutoCloseable {
    private static final long INITIALIZE = 0;
    private static final Duration HANDSHAKE = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(5);

    private final Process server;
    private final OutputStream input;
    private final Thread reader;
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();
    private long lastId;

    private PipeEcho(Process server) {
        this.server = server;
        this.input = server.getOutputStream();
        this.reader = Thread.ofPlatform().name("bench-pipe").daemon().unstarted(this::read);
    }

    /** Starts the server and shakes hands. */
    public static PipeEcho start(List<String> command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        var echo = new PipeEcho(builder.start());
        echo.reader.start();
        var initialized = new Opening();
        echo.waiting.put(INITIALIZE, initialized);
        echo.write(
                """
                {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":\
                "2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
                """);
        if (!initialized.isDone()) {
            echo.close();
            throw new IOException("The server did not answer initialize: " + command.getFirst());
        }
        echo.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        return echo;
    }

    @Override
    public void send(Answer answer) {
        long id = ++lastId;
        waiting.put(id, answer);
        try {
            write(
                    "{\"jsonrpc\":\"2.0\",\"id\":"
                            + id
                            + ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
                            + "\"arguments\":{\"message\":\"hi\"}}}\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server's process. */
    public long pid() {
        return server.pid();
    }

    private synchronized void write(String line) throws IOException {
        input.write(line.getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    private void read() {
        try (var lines = new BufferedReader(server.inputReader(StandardCharsets.UTF_8))) {
            for (String line; (line = lines.readLine()) != null; ) {
                var message = Json.tree(line.getBytes(StandardCharsets.UTF_8));
                var answer = waiting.remove(message.path("id").asLong(-1));
                if (answer != null) {
                    answer.arrived();
                }
            }
        } catch (IOException e) {
            // The server ended, as at the end of its output.
        }
        waiting.values().forEach(answer -> answer.failed("the server ended"));
    }

    @Override
    public void close() {
        server.destroy();
        try {
            if (!server.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        } catch (InterruptedException e) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the answer to initialize. */
    private static final class Opening implements Answer {
        private final CountDownLatch arrived = new CountDownLatch(1);

        boolean isDone() throws InterruptedException {
            return arrived.await(HANDSHAKE.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void arrived() {
            arrived.countDown();
        }

        @Override
        public void failed(String reason) {}
    }
}
