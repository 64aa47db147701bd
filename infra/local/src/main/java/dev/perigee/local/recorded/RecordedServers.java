package dev.perigee.local.recorded;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.perigee.local.recording.RecordingJson;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All servers of a recording as MCP over streamable HTTP, each at {@code /servers/PROCESS_ID}. They
 * do nothing but answer what was answered; what was not recorded is an error of the tool that says
 * so, and is counted. {@code /counts} shows the counts. Works on threads of its own, at most {@link
 * #MOST_AT_ONCE} requests at a time, each of at most {@link #MOST_BYTES}. Thread-safe.
 */
public final class RecordedServers implements AutoCloseable {
    private static final int MOST_AT_ONCE = 256;
    private static final int MOST_BYTES = 17 << 20;
    private static final int MOST_COUNTED = 10_000;
    private static final String SERVERS = "/servers/";
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID = -32600;
    private static final int FAILED = -32000;

    private final RecordedAnswers answers;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore atOnce = new Semaphore(MOST_AT_ONCE);
    private final AtomicLong answered = new AtomicLong();
    private final Map<String, Long> notRecorded = new ConcurrentHashMap<>();

    private RecordedServers(RecordedAnswers answers, HttpServer http) {
        this.answers = answers;
        this.http = http;
    }

    /**
     * Begins to serve.
     *
     * @param answers closed with this, and when it cannot be begun
     * @throws IOException when the address is taken
     */
    public static RecordedServers start(RecordedAnswers answers, InetSocketAddress address)
            throws IOException {
        HttpServer http;
        try {
            http = HttpServer.create(address, MOST_AT_ONCE);
        } catch (IOException e) {
            answers.close();
            throw e;
        }
        var servers = new RecordedServers(answers, http);
        http.createContext(SERVERS, servers::serve);
        http.createContext("/counts", servers::counts);
        http.setExecutor(servers.threads);
        http.start();
        return servers;
    }

    /** Where it serves. */
    public InetSocketAddress address() {
        return http.getAddress();
    }

    /** How many calls were answered from the recording. */
    public long answered() {
        return answered.get();
    }

    /** Calls that were not recorded, by server and tool. */
    public Map<String, Long> notRecorded() {
        return new TreeMap<>(notRecorded);
    }

    private void counts(HttpExchange exchange) throws IOException {
        var counts = RecordingJson.MAPPER.createObjectNode();
        counts.put("recorded", answers.size()).put("answered", answered());
        var missing = counts.putObject("not_recorded");
        notRecorded().forEach(missing::put);
        send(exchange, 200, counts);
    }

    private void serve(HttpExchange exchange) throws IOException {
        if (!atOnce.tryAcquire()) {
            send(exchange, 503, null);
            return;
        }
        try {
            if (!exchange.getRequestMethod().equals("POST")) {
                // No stream from the server, and no session to be ended.
                send(exchange, 405, null);
                return;
            }
            var bytes = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                send(exchange, 413, null);
                return;
            }
            var path = exchange.getRequestURI().getRawPath().substring(SERVERS.length());
            var process = URLDecoder.decode(path, StandardCharsets.UTF_8);
            answer(exchange, process, RecordingJson.MAPPER.readTree(bytes));
        } catch (JacksonException e) {
            send(exchange, 400, null);
        } finally {
            atOnce.release();
        }
    }

    private void answer(HttpExchange exchange, String process, JsonNode request)
            throws IOException {
        if (!request.has("id") || !request.has("method")) {
            send(exchange, 202, null);
            return;
        }
        var reply = RecordingJson.MAPPER.createObjectNode();
        reply.put("jsonrpc", "2.0").set("id", request.path("id"));
        var params = request.path("params");
        switch (request.path("method").asString("")) {
            case "initialize" -> initialize(reply.putObject("result"), params);
            case "ping" -> reply.putObject("result");
            case "tools/list" -> list(reply.putObject("result"), process);
            case "tools/call" -> call(reply, process, params);
            case "" -> error(reply, INVALID, "No method");
            default -> error(reply, METHOD_NOT_FOUND, "Only tools are answered from a recording");
        }
        send(exchange, 200, reply);
    }

    private static void initialize(ObjectNode result, JsonNode params) {
        result.put("protocolVersion", params.path("protocolVersion").asString("2025-06-18"));
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "perigee-recorded").put("version", "1");
    }

    private void list(ObjectNode result, String process) {
        var tools = result.putArray("tools");
        var recorded = answers.tools(process);
        if (recorded == null) {
            return;
        }
        for (var tool : recorded) {
            var one = tools.addObject();
            one.set("name", tool.path("tool_name"));
            if (tool.path("description").isString()) {
                one.set("description", tool.path("description"));
            }
            one.set("inputSchema", tool.path("input_schema"));
            if (tool.path("read_only_hint").asBoolean(false)) {
                one.putObject("annotations").put("readOnlyHint", true);
            }
        }
    }

    private void call(ObjectNode reply, String process, JsonNode params) throws IOException {
        var tool = params.path("name").asString("");
        var answer = answers.next(process, tool, params.path("arguments"));
        if (answer == null) {
            var name = process + ":" + tool;
            boolean isNew = notRecorded.size() >= MOST_COUNTED && !notRecorded.containsKey(name);
            notRecorded.merge(isNew ? "others" : name, 1L, Long::sum);
            var result = reply.putObject("result").put("isError", true);
            var content = result.putArray("content").addObject().put("type", "text");
            content.put("text", "Not recorded: this call of " + tool + " with these arguments");
        } else if (answer.has("result")) {
            answered.incrementAndGet();
            reply.set("result", answer.path("result"));
        } else {
            answered.incrementAndGet();
            error(reply, FAILED, "Recorded failure: " + answer.path("error").asString(""));
        }
    }

    private static void error(ObjectNode reply, int code, String message) {
        reply.putObject("error").put("code", code).put("message", message);
    }

    private static void send(HttpExchange exchange, int status, @Nullable JsonNode body)
            throws IOException {
        try (exchange) {
            if (body == null) {
                exchange.sendResponseHeaders(status, -1);
                return;
            }
            var bytes = RecordingJson.MAPPER.writeValueAsBytes(body);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.close();
        answers.close();
    }
}
