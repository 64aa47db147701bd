package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.process.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MCP over the pipes of a child process: one JSON-RPC message a line. Requests are matched with
 * answers by id, in any order; an answer that nobody waits for any more is ignored. Bytes come in
 * on the launcher's thread, which completes the waiting callers directly; requests go out on their
 * callers' threads.
 *
 * <p>Source: seeds/process-management.txt, "stdio Communication Protocol"; design/decisions.md, 13.
 */
public final class StdioMcpClient implements McpClient {
    private static final Logger log = LoggerFactory.getLogger(StdioMcpClient.class);
    private static final RawJson NO_ROOTS = RawJson.of("{\"roots\":[]}");
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int QUOTED_BYTES = 200;

    private final String processId;
    private final McpOptions options;
    private final ServerMetrics metrics;
    private final McpListener listener;
    private final LineFramer framer;
    private final ConcurrentHashMap<Long, McpRequest> pending = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private volatile @Nullable ChildProcess child;
    private volatile @Nullable Ended ended;
    private volatile boolean initialized;

    private record Ended(McpException.Kind kind, String message) {}

    /** A client whose child is yet to be started; the process id is for logs. */
    public StdioMcpClient(
            String processId, McpOptions options, ServerMetrics metrics, McpListener listener) {
        this.processId = processId;
        this.options = options;
        this.metrics = metrics;
        this.listener = listener;
        this.framer =
                new LineFramer(
                        options.maxMessageBytes(),
                        new LineFramer.Sink() {
                            @Override
                            public void line(byte[] line) {
                                receive(line);
                            }

                            @Override
                            public void tooLong(long sizeBytes, byte[] head, byte[] tail) {
                                skipped(sizeBytes, head, tail);
                            }
                        });
    }

    /** The child to write to. Called once, before anything is sent. */
    public void attach(ChildProcess started) {
        child = started;
    }

    /** Bytes of the child's standard output; called on the launcher's thread. */
    public void onStdout(ByteBuffer bytes) {
        framer.accept(bytes);
    }

    /** The process ended by itself: everything in flight fails at once. Does not block. */
    public void onExit(String how) {
        end(McpException.Kind.CRASHED, how);
    }

    /** The process is about to be ended by intent: everything in flight fails at once. */
    public void close(String reason) {
        end(McpException.Kind.CLOSED, reason);
    }

    private void end(McpException.Kind kind, String message) {
        if (ended != null) {
            return;
        }
        ended = new Ended(kind, message);
        // A request registered after this line sees the end itself, see send.
        for (var request : new ArrayList<>(pending.values())) {
            if (pending.remove(request.id()) != null) {
                metrics.failed();
                request.fail(kind, message);
            }
        }
    }

    @Override
    public ServerInfo initialize(Duration timeout) throws McpException, InterruptedException {
        long start = System.nanoTime();
        var params = Json.raw(Initialize.of(options));
        var result =
                sendNow("initialize", params, timeout)
                        .await(timeout.minusNanos(System.nanoTime() - start));
        var info = ServerInfo.read(result);
        write(
                McpMessage.write(null, "notifications/initialized", RawJson.EMPTY_OBJECT),
                timeout.minusNanos(System.nanoTime() - start));
        initialized = true;
        return info;
    }

    @Override
    public McpRequest send(String method, RawJson params, Duration timeout) throws McpException {
        if (!initialized) {
            throw new McpException(
                    McpException.Kind.CLOSED, false, "The server's handshake is not done");
        }
        return sendNow(method, params, timeout);
    }

    private McpRequest sendNow(String method, RawJson params, Duration timeout)
            throws McpException {
        long id = lastId.incrementAndGet();
        var request = new McpRequest(id, this::cancelled);
        pending.put(id, request);
        try {
            write(McpMessage.write(id, method, params), timeout);
        } catch (McpException e) {
            pending.remove(id);
            metrics.failed();
            throw e;
        }
        metrics.sent();
        var end = ended;
        if (end != null && pending.remove(id) != null) {
            metrics.failed();
            request.fail(end.kind(), end.message());
        }
        return request;
    }

    private void write(byte[] message, Duration timeout) throws McpException {
        var end = ended;
        if (end != null) {
            throw new McpException(end.kind(), false, end.message());
        }
        var target = child;
        if (target == null) {
            throw new McpException(McpException.Kind.CLOSED, false, "There is no process");
        }
        try {
            target.write(message, timeout.isNegative() ? Duration.ZERO : timeout);
        } catch (IOException e) {
            end = ended;
            var kind = end == null ? McpException.Kind.NOT_READ : end.kind();
            throw new McpException(kind, false, "The request was not sent: " + e.getMessage());
        }
    }

    private void cancelled(long id, boolean tellServer, String reason) {
        pending.remove(id);
        metrics.failed();
        if (tellServer && initialized) {
            var params = Json.raw(new Cancelled(id, reason));
            writeOrForget(McpMessage.write(null, "notifications/cancelled", params));
        }
    }

    private void receive(byte[] line) {
        if (!McpMessage.mayBe(line)) {
            garbage("not an object", line);
            return;
        }
        McpMessage message;
        try {
            message = McpMessage.read(line);
        } catch (InvalidRecordException e) {
            garbage(e.getMessage(), line);
            unreadable(line, e.getMessage());
            return;
        }
        switch (message) {
            case McpMessage.Answer(var id, var result) -> answer(id, result);
            case McpMessage.Refusal(var id, var code, var text) -> refuse(id, code, text);
            case McpMessage.Question(var id, var method) -> reply(id, method);
            case McpMessage.Notice(var method) -> notice(method);
            case McpMessage.Stray ignored -> nobodyWaits();
        }
    }

    private void answer(long id, RawJson result) {
        var request = pending.remove(id);
        if (request == null) {
            nobodyWaits();
        } else {
            metrics.answered();
            request.answer(result);
        }
    }

    private void refuse(long id, long code, String text) {
        var request = pending.remove(id);
        if (request == null) {
            nobodyWaits();
        } else {
            metrics.answered();
            log.atDebug()
                    .addKeyValue("process_id", processId)
                    .addKeyValue("code", code)
                    .log("Server answered with an error");
            request.fail(McpException.Kind.SERVER_ERROR, text);
        }
    }

    private void reply(RawJson id, String method) {
        writeOrForget(
                switch (method) {
                    case "roots/list" -> McpMessage.answer(id, NO_ROOTS);
                    case "ping" -> McpMessage.answer(id, RawJson.EMPTY_OBJECT);
                    default -> McpMessage.refuse(id, METHOD_NOT_FOUND, "Method not found");
                });
    }

    private void notice(String method) {
        if (method.equals("notifications/tools/list_changed")) {
            listener.onToolsChanged();
        }
    }

    private void nobodyWaits() {
        log.atDebug()
                .addKeyValue("process_id", processId)
                .log("Ignored an answer, late or to none");
    }

    private void skipped(long sizeBytes, byte[] head, byte[] tail) {
        var text =
                "a message of %d bytes is longer than %d"
                        .formatted(sizeBytes, options.maxMessageBytes());
        listener.onGarbage(() -> text);
        var id = SkippedAnswer.id(head, tail);
        var request = id == null ? null : pending.remove(id);
        if (request != null) {
            metrics.answered();
            request.fail(
                    McpException.Kind.TOO_LARGE,
                    "The server's answer has %d bytes, more than %d may pass"
                            .formatted(sizeBytes, options.maxMessageBytes()));
        }
    }

    private void garbage(@Nullable String why, byte[] line) {
        listener.onGarbage(() -> "stdout is not JSON-RPC (" + why + "): " + quoted(line));
    }

    private static String quoted(byte[] line) {
        return line.length <= QUOTED_BYTES
                ? new String(line, StandardCharsets.UTF_8)
                : new String(line, 0, QUOTED_BYTES, StandardCharsets.UTF_8) + '…';
    }

    /** Where it can be seen which request this would have answered, that one need not wait. */
    private void unreadable(byte[] line, @Nullable String why) {
        var id = SkippedAnswer.id(line);
        var request = id == null ? null : pending.remove(id);
        if (request != null) {
            metrics.answered();
            request.fail(
                    McpException.Kind.INVALID_ANSWER, "The server's answer cannot be read: " + why);
        }
    }

    /** Never waits: on the launcher's thread, or for a message that may as well be lost. */
    private void writeOrForget(byte[] message) {
        try {
            write(message, Duration.ZERO);
        } catch (McpException e) {
            log.atDebug()
                    .addKeyValue("process_id", processId)
                    .addKeyValue("reason", e.getMessage())
                    .log("Server does not read: answer or notification dropped");
        }
    }
}
