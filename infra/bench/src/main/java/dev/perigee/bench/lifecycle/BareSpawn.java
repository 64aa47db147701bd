package dev.perigee.bench.lifecycle;

import dev.perigee.bench.fleet.EchoProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Baseline of a start, as any MCP client does it: a process, the handshake, the tools, then a call.
 *
 * @param toToolsNanos from the start to the list of tools
 * @param toAnswerNanos from the start to the answer of a call, without asking for tools
 */
public record BareSpawn(long toToolsNanos, long toAnswerNanos) {
    private static final String INITIALIZE =
            """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
            "capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
            """;
    private static final String INITIALIZED =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    private static final String CALL =
            """
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo",\
            "arguments":{"message":"hi"}}}
            """;
    private static final int END_SECONDS = 5;

    /** Starts the server twice, and ends it. */
    public static BareSpawn of(EchoProgram server) throws IOException, InterruptedException {
        return new BareSpawn(time(server, LIST), time(server, CALL));
    }

    private static long time(EchoProgram server, String request)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        var process =
                new ProcessBuilder(server.line())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var answers = process.inputReader(StandardCharsets.UTF_8)) {
            write(process, INITIALIZE);
            read(answers);
            write(process, INITIALIZED + request);
            read(answers);
            return System.nanoTime() - begin;
        } finally {
            process.destroy();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    private static void write(Process process, String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** The next answer; servers may say other things before. */
    private static void read(BufferedReader lines) throws IOException {
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains("\"result\"")) {
                return;
            }
        }
        throw new IOException("The server ended");
    }
}
