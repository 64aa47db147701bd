package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.process.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MCP over the pipes of a child process: one JSON-RPC message a line. Requests are matched with
 * answers by id, in any order; an answer without a waiting caller is ignored. Bytes come in on the
 * launcher's thread, which completes the waiting callers directly; requests go out on their
 * callers' threads. What a message may take before its end is read is decided by the {@link
 * LineRoom}.
 */
public final class StdioMcpClient implements McpClient {
    private static final Logger log = LoggerFactory.getLogger(StdioMcpClient.class);

    /** For room in the server's input. */
    private static final Duration REPLY = Duration.ofSeconds(10);

    private static final byte[] NOTHING = {};
    private static final String DISCOVER = "server/discover";

    /** They are none that anybody asked for. */
    private static final Set<String> UNCOUNTED = Set.of(DISCOVER, ModernMeta.LISTEN);

    private final LogContext about = LogContext.current();
    private final String processId;
    private final McpOptions options;
    private final McpListener listener;
    private final InFlight inFlight;
    private final Reception reception;
    private final LineFramer framer;
    private final ReentrantLock reading = new ReentrantLock();
    private final LineRoom.Line line;
    private final McpRequest.Owner owner;
    private final StdioListening listening;
    private volatile @Nullable ChildProcess child;
    private volatile @Nullable Ended ended;
    private volatile boolean initialized;
    private volatile @Nullable ModernMeta meta;

    /** Stops the server's output, and lets it go on. Does not block. */
    public interface Output {
        /** False when that is not possible, since the process is being ended. */
        boolean pause();

        void resume();
    }

    private record Ended(McpException.Kind kind, String message) {
        McpException exception(boolean sent) {
            return new McpException(kind, sent, message);
        }
    }

    private final class Pipes
            implements Reception.Transport, LineFramer.Sink, LineRoom.Reader, McpRequest.Owner {
        private final Output output;

        Pipes(Output output) {
            this.output = output;
        }

        @Override
        public boolean pause() {
            return output.pause();
        }

        @Override
        public void resume() {
            output.resume();
        }

        @Override
        public void giveUp(BooleanSupplier due) {
            reading.lock();
            try {
                if (due.getAsBoolean()) {
                    skipRest();
                }
            } finally {
                reading.unlock();
            }
        }

        @Override
        public void givenUp(long sizeBytes, byte[] head, byte[] tail) {
            noRoom(head, tail);
        }

        @Override
        public String source() {
            return "stdout";
        }

        @Override
        public void reply(byte[] message) {
            var _ = writeOrForget(message);
        }

        @Override
        public void answered(long id, boolean refused) {
            listening.answered(id, refused);
        }

        @Override
        public void line(byte[] line) {
            reception.receive(line);
        }

        @Override
        public void tooLong(long sizeBytes, byte[] head, byte[] tail) {
            skipped(sizeBytes, head, tail);
        }

        @Override
        public void comes(long bytes) {
            listener.onAnswer(bytes);
        }

        @Override
        public void taken(long bytes) {
            listener.onTaken(bytes);
        }

        @Override
        public void cancelled(long id, boolean tellServer, String reason) {
            inFlight.drop(id);
            if (tellServer && initialized) {
                var _ = writeOrForget(McpMessage.cancelled(id, reason));
            }
        }
    }

    /** A client whose child is yet to be started; the process id is for logs. */
    public StdioMcpClient(
            String processId,
            McpOptions options,
            ServerMetrics metrics,
            McpListener listener,
            LineRoom room,
            Output output) {
        var pipes = new Pipes(output);
        this.processId = processId;
        this.options = options;
        this.listener = listener;
        this.inFlight = new InFlight(metrics);
        this.reception = new Reception(processId, inFlight, listener, pipes);
        this.owner = pipes;
        this.framer = new LineFramer(options.maxMessageBytes(), pipes);
        this.line = room.open(pipes);
        this.listening = new StdioListening(new Listening(), listener, RequestDeadlines.ofAll());
    }

    /** The child to write to. Called once, before anything is sent. */
    public void attach(ChildProcess started) {
        child = started;
    }

    /** Bytes of the child's standard output; called on the launcher's thread. */
    public void onStdout(ByteBuffer bytes) {
        reading.lock();
        try {
            framer.accept(bytes);
            if (!line.keeps(framer.keptBytes())) {
                skipRest();
            }
        } finally {
            reading.unlock();
        }
    }

    /** Releases the caller that waits for the message, where its first bytes have the id. */
    private void skipRest() {
        var head = framer.giveUp();
        boolean _ = line.keeps(framer.keptBytes());
        noRoom(head, NOTHING);
    }

    private void noRoom(byte[] head, byte[] tail) {
        inFlight.refuse(
                SkippedAnswer.id(head, tail),
                McpException.Kind.TOO_LARGE,
                "The server's answer was dropped: it did not end while others waited for the memory"
                        + " that it took");
    }

    /** Nothing more of the child is read. */
    public void onClosed() {
        reading.lock();
        try {
            framer.giveUp();
            line.close();
        } finally {
            reading.unlock();
        }
    }

    /** The process ended by itself: everything in flight fails at once. Does not block. */
    public void onExit(String how) {
        end(new Ended(McpException.Kind.CRASHED, how));
    }

    /** The process is about to be ended by intent: everything in flight fails at once. */
    public void close(String reason) {
        end(new Ended(McpException.Kind.CLOSED, reason));
    }

    private void end(Ended how) {
        if (ended != null) {
            return;
        }
        ended = how;
        listening.close();
        // A request registered after this line sees the end itself, see sendNow.
        inFlight.failAll(how.exception(true));
    }

    @Override
    public ServerInfo initialize(Duration timeout) throws McpException, InterruptedException {
        var outcome = new StdioHandshake(new Handshaking(), options, timeout).make();
        if (outcome.era() == Era.MODERN) {
            meta = new ModernMeta(options);
            listening.begin(outcome.info());
        }
        initialized = true;
        return outcome.info();
    }

    private final class Listening implements StdioListening.Wire {
        @Override
        public McpRequest ask(RawJson params, Duration timeout, LongConsumer opened)
                throws McpException {
            return sendNow(ModernMeta.LISTEN, params, CallRound.ONLY, timeout, opened);
        }

        @Override
        public @Nullable Long tell(RawJson params, LongConsumer opened) {
            var modern = meta;
            long id = inFlight.unawaited();
            opened.accept(id);
            var whole = modern == null ? params : modern.put(params);
            return writeOrForget(McpMessage.write(id, ModernMeta.LISTEN, whole)) ? (Long) id : null;
        }

        @Override
        public void cancel(long id) {
            var _ = writeOrForget(McpMessage.cancelled(id, "Replaced"));
        }
    }

    private final class Handshaking implements StdioHandshake.Wire {
        @Override
        public RawJson ask(String method, RawJson params, Duration limit)
                throws McpException, InterruptedException {
            long start = System.nanoTime();
            return sendNow(method, params, CallRound.ONLY, limit, _ -> {})
                    .awaitAndTake(limit.minusNanos(System.nanoTime() - start));
        }

        @Override
        public void initialized(Duration limit) throws McpException {
            write(McpMessage.initialized(), limit);
        }
    }

    @Override
    public McpRequest send(String method, RawJson params, CallRound round, Duration timeout)
            throws McpException {
        if (!initialized) {
            throw new McpException(
                    McpException.Kind.CLOSED, false, "The server's handshake is not done");
        }
        round.requireEra(meta != null);
        return sendNow(method, params, round, timeout, _ -> {});
    }

    private McpRequest sendNow(
            String method, RawJson params, CallRound round, Duration timeout, LongConsumer opened)
            throws McpException {
        var request = inFlight.open(owner);
        opened.accept(request.id());
        try {
            var modern = meta;
            var whole = modern == null ? params : modern.put(params, round);
            write(McpMessage.write(request.id(), method, whole), timeout);
        } catch (McpException e) {
            inFlight.drop(request.id());
            throw e;
        }
        if (!UNCOUNTED.contains(method)) {
            inFlight.sent();
        }
        var end = ended;
        if (end != null) {
            inFlight.fail(request.id(), end.exception(true));
        }
        return request;
    }

    private void write(byte[] message, Duration timeout) throws McpException {
        var end = ended;
        if (end != null) {
            throw end.exception(false);
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

    @Override
    public boolean listens() {
        return meta != null;
    }

    @Override
    public List<String> listen(Collection<String> uris, Duration timeout)
            throws McpException, InterruptedException {
        return listening.replace(uris, timeout);
    }

    @Override
    public void reply(ServerQuestion question, RawJson result) throws McpException {
        write(McpMessage.answer(question.id(), result), REPLY);
    }

    @Override
    public void refuse(ServerQuestion question, ServerQuestion.Refusal why) throws McpException {
        write(McpMessage.refuse(question.id(), why.code(), why.message()), REPLY);
    }

    private void skipped(long sizeBytes, byte[] head, byte[] tail) {
        var text =
                "a message of %d bytes is longer than %d"
                        .formatted(sizeBytes, options.maxMessageBytes());
        listener.onGarbage(() -> text);
        inFlight.refuse(
                SkippedAnswer.id(head, tail),
                McpException.Kind.TOO_LARGE,
                "The server's answer has %d bytes, more than %d may pass"
                        .formatted(sizeBytes, options.maxMessageBytes()));
    }

    /** Never waits: on the launcher's thread, or for a message that may as well be lost. */
    private boolean writeOrForget(byte[] message) {
        try {
            write(message, Duration.ZERO);
            return true;
        } catch (McpException e) {
            about.on(log.atDebug())
                    .addKeyValue("process_id", processId)
                    .addKeyValue("reason", e.getMessage())
                    .log("Server does not read: answer or notification dropped");
            return false;
        }
    }
}
