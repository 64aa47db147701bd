package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server process behind plain pipes: sends lines, waits for lines. Used by one test thread. */
final class PipedServer implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String END = "<end of stream>";
    private static final int WAIT_SECONDS = 20;

    private final Process process;
    private final LinkedBlockingQueue<String> out = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> err = new LinkedBlockingQueue<>();
    private final List<String> noise = new ArrayList<>();
    private final Map<String, JsonNode> early = new HashMap<>();
    private int lastId = 100;

    private PipedServer(Process process) {
        this.process = process;
    }

    static PipedServer start(List<String> args) throws IOException {
        var command = new ArrayList<String>();
        command.add(Fixtures.NODE);
        command.addAll(args);
        var server = new PipedServer(new ProcessBuilder(command).start());
        drain("piped-server-out", server.process.getInputStream(), server.out);
        drain("piped-server-err", server.process.getErrorStream(), server.err);
        return server;
    }

    private static void drain(String name, InputStream from, LinkedBlockingQueue<String> to) {
        Thread.ofPlatform()
                .daemon()
                .name(name)
                .start(
                        () -> {
                            var reader =
                                    new BufferedReader(
                                            new InputStreamReader(from, StandardCharsets.UTF_8));
                            try (reader) {
                                reader.lines().forEach(to::add);
                            } catch (IOException | UncheckedIOException e) {
                                to.add("<" + e + ">");
                            }
                            to.add(END);
                        });
    }

    long pid() {
        return process.pid();
    }

    /** The initialize answer, after which notifications/initialized is sent. */
    JsonNode handshake() throws IOException, InterruptedException {
        var answer =
                call(
                        "initialize",
                        """
                        {"protocolVersion":"2025-11-25","capabilities":{},
                         "clientInfo":{"name":"piped","version":"1"}}""");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return answer;
    }

    /** Sends a request and waits for its answer. */
    JsonNode call(String method, String params) throws IOException, InterruptedException {
        return answer(request(method, params));
    }

    /** The text of a tool's answer. */
    String tool(String name, String arguments) throws IOException, InterruptedException {
        var answer = answer(toolRequest(name, arguments));
        return answer.at("/result/content/0/text").asString(answer.toString());
    }

    int toolRequest(String name, String arguments) throws IOException {
        return request("tools/call", "{\"name\":\"" + name + "\",\"arguments\":" + arguments + "}");
    }

    int request(String method, String params) throws IOException {
        int id = ++lastId;
        var line =
                "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":";
        send(line + params.replaceAll("\n *", "") + "}");
        return id;
    }

    void send(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** The answer to one request; what else arrives before is kept. */
    JsonNode answer(int id) throws InterruptedException {
        while (true) {
            var known = early.remove(Integer.toString(id));
            if (known != null) {
                return known;
            }
            var line = next(out);
            assertThat(line).as("answer %s before the end, noise %s", id, noise).isNotEqualTo(END);
            try {
                var message = JSON.readTree(line);
                if (message.has("id") && !message.has("method")) {
                    early.put(message.get("id").asString(), message);
                } else {
                    noise.add(line);
                }
            } catch (JacksonException e) {
                noise.add(line);
            }
        }
    }

    /** Lines that were no answer, in order. */
    List<String> noise() {
        return noise;
    }

    String nextError() throws InterruptedException {
        return next(err);
    }

    private static String next(LinkedBlockingQueue<String> from) throws InterruptedException {
        var line = from.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        return line == null ? "<nothing within " + WAIT_SECONDS + " s>" : line;
    }

    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    void signal(String name) throws IOException, InterruptedException {
        Signals.send(pid(), name);
    }

    /** The exit code as Java reports it: 128 + n for signal n. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).as("has exited").isTrue();
        return process.exitValue();
    }

    boolean alive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
