package dev.perigee.worker.instance;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.mcp.CallRound;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpRequest;
import dev.perigee.worker.mcp.ServerError;
import dev.perigee.worker.tool.InputRequired;
import dev.perigee.worker.tool.TaskReport;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Task that a server made of one call, followed to its end: the server is asked for it again and
 * again, its states are told, its questions put to the call's author, its result fetched. Where the
 * call ends otherwise the task is cancelled. On the call's thread, which waits in between; {@link
 * #end} it.
 */
final class CallTask {
    private static final Logger log = LoggerFactory.getLogger(CallTask.class);

    /** For one answer about the task. */
    private static final Duration LOOK = Duration.ofSeconds(30);

    /** Between two looks whether the server has ended. */
    private static final Duration SLICE = Duration.ofSeconds(1);

    /** For the answer to a cancellation, which nobody waits for. */
    private static final Duration CANCEL = Duration.ofSeconds(10);

    private static final String GET = "tasks/get";
    private static final String RESULT = "tasks/result";
    private static final String UPDATE = "tasks/update";

    private final ServerRun run;
    private final McpClient client;
    private final boolean modern;
    private final CallRound round;
    private final Supplier<Duration> left;
    private final @Nullable CallInput input;
    private final TaskTeller teller;
    private final TaskMachine machine;
    private final RawJson id;
    private final Set<String> asked = new HashSet<>();
    private final Queue<Map<String, RawJson>> responses = new ConcurrentLinkedQueue<>();
    private final Semaphore responded = new Semaphore(0);

    /** The last answer, which occupies memory until it is dealt with. */
    private @Nullable McpRequest last;

    /** Result of a legacy task that asks: by this request its server is asked for the question. */
    private @Nullable McpRequest collecting;

    private record Id(@JsonProperty("taskId") String taskId) {}

    private record Update(
            @JsonProperty("taskId") String taskId,
            @JsonProperty("inputResponses") Map<String, RawJson> inputResponses) {}

    private record Terminal(@Nullable RawJson result, @Nullable RawJson error) {}

    private final class Author implements CallInput.Asker {
        @Override
        public void answered(Map<String, RawJson> given) {
            responses.add(given);
            responded.release();
        }

        /** The call ends, or has: its thread is told otherwise. */
        @Override
        public void unanswered(CallInput.Fate why) {}
    }

    /**
     * A task that was just created.
     *
     * @param mayAsk whether the server may ask the call's author
     * @param left until the call's deadline
     */
    CallTask(
            ServerRun run,
            McpClient client,
            TaskReport created,
            boolean mayAsk,
            Supplier<Duration> left,
            @Nullable CallInput input,
            TaskTeller teller) {
        this.run = run;
        this.client = client;
        this.modern = client.listens();
        this.round = new CallRound(mayAsk, modern, true, null);
        this.left = left;
        this.input = input;
        this.teller = teller;
        this.machine = new TaskMachine(created);
        this.id = Json.raw(new Id(created.taskId()));
    }

    /**
     * The result of the call.
     *
     * @throws McpException when there is none; never as if the call had not been sent
     * @throws InterruptedException when interrupted
     */
    RawJson follow() throws McpException, InterruptedException {
        run.questions().remember(machine.taskId(), input);
        try {
            TaskReport report = null;
            while (!machine.state().isOver()) {
                if (report != null && machine.state() == TaskMachine.State.ASKING) {
                    ask(report);
                }
                pause(machine.pause());
                update();
                report = look();
            }
            return outcome(report);
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "The server's report of its task does not pass: " + e.getMessage());
        } catch (McpException e) {
            throw e.ofSentBefore();
        } finally {
            run.questions().forget(machine.taskId());
            if (!machine.state().isOver()) {
                machine.giveUp();
                cancel();
            }
        }
    }

    /** The result is dealt with. */
    void end() {
        var early = collecting;
        if (early != null) {
            early.cancel("The call has ended");
            early.done();
        }
        var answer = last;
        if (answer != null) {
            answer.done();
        }
    }

    /** Waits: no longer than somebody needs to answer a question, or the server to end. */
    private void pause(Duration pause) throws McpException, InterruptedException {
        requireTime();
        var most = left.get();
        long end = System.nanoTime() + (pause.compareTo(most) < 0 ? pause : most).toNanos();
        for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
            long slice = Math.min(rest, SLICE.toNanos());
            if (run.isOver() || responded.tryAcquire(slice, TimeUnit.NANOSECONDS)) {
                break;
            }
        }
        responded.drainPermits();
        requireTime();
    }

    private void requireTime() throws McpException {
        if (!left.get().isPositive()) {
            throw McpException.late("Request timeout: the server's task was not over in time");
        }
    }

    /** The newest report; null where the server could not be asked this time. */
    private @Nullable TaskReport look() throws McpException, InterruptedException {
        TaskReport report;
        try {
            report = TaskReport.read(exchange(GET, id));
        } catch (McpException e) {
            if (!passes(e) || !machine.missed()) {
                throw e;
            }
            waitAsAsked(e);
            return null;
        }
        if (machine.reported(report)) {
            teller.tell(report);
        } else {
            teller.goOn();
        }
        return report;
    }

    private void waitAsAsked(McpException refusal) throws McpException, InterruptedException {
        var asks = refusal.retryAfter();
        if (asks != null) {
            pause(asks.compareTo(TaskMachine.MOST_POLL) < 0 ? asks : TaskMachine.MOST_POLL);
        }
    }

    private RawJson exchange(String method, RawJson params)
            throws McpException, InterruptedException {
        var before = last;
        if (before != null) {
            before.done();
        }
        var limit = limit();
        var request = client.send(method, params, round, limit);
        last = request;
        return request.await(limit);
    }

    private Duration limit() {
        var most = left.get();
        return most.compareTo(LOOK) < 0 ? most : LOOK;
    }

    /** For requests whose repetition changes nothing. */
    private RawJson insist(String method, RawJson params)
            throws McpException, InterruptedException {
        for (int failures = 0; ; failures++) {
            try {
                return exchange(method, params);
            } catch (McpException e) {
                if (!passes(e) || failures == TaskMachine.MOST_FAILURES) {
                    throw e;
                }
                pause(TaskMachine.USUAL_POLL.multipliedBy(1L << Math.min(failures, 5)));
            }
        }
    }

    /** Whether the server may well answer the next time. */
    private static boolean passes(McpException failure) {
        return switch (failure.kind()) {
            case TIMEOUT, UNREACHABLE, RATE_LIMITED, HTTP_FAILED, NOT_READ -> true;
            case SERVER_ERROR,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    AUTHORIZATION_REQUIRED,
                    REQUEST_REFUSED,
                    HTTP_REFUSED,
                    EGRESS_REFUSED,
                    CRASHED,
                    CLOSED,
                    CANCELLED,
                    TOO_LARGE,
                    INVALID_ANSWER ->
                    false;
        };
    }

    private void ask(TaskReport report) throws McpException, InterruptedException {
        if (modern) {
            question(report);
        } else if (collecting == null) {
            collecting = client.send(RESULT, id, round, limit());
        }
    }

    /** Puts what was not asked before to the call's author. */
    private void question(TaskReport report) throws McpException {
        var requests = CallRounds.requests(InputRequired.read(report.whole()).requests(), run);
        requests.keySet().removeAll(asked);
        if (requests.isEmpty()) {
            return;
        }
        if (input == null) {
            throw refused(
                    "The server's task asks something, and the call accepts no questions: name"
                            + " input in accepts");
        }
        asked.addAll(requests.keySet());
        if (input.ask(requests, run::masked, run.pid(), new Author()) == null) {
            throw refused(
                    "The server's task asks something, and there is no room for its question");
        }
    }

    private static McpException refused(String why) {
        return McpException.ofTask(why, new ServerError(null, null));
    }

    /** Hands the server the responses that came. */
    private void update() throws McpException, InterruptedException {
        for (var next = responses.poll(); next != null; next = responses.poll()) {
            var _ = insist(UPDATE, Json.raw(new Update(machine.taskId(), next)));
        }
    }

    private RawJson outcome(@Nullable TaskReport end) throws McpException, InterruptedException {
        if (end == null || machine.state() == TaskMachine.State.CANCELLED) {
            throw refused(
                    "The server cancelled the task that it made of the call"
                            + (end == null ? "" : words(end)));
        }
        if (!modern) {
            return collected();
        }
        var terminal = Json.read(end.whole(), Terminal.class);
        var result = terminal.result();
        if (machine.state() == TaskMachine.State.FAILED) {
            throw failure(terminal.error(), end);
        }
        if (result == null || result.bytes()[0] != '{') {
            throw InvalidRecordException.invalid("it is completed and has no result");
        }
        return result;
    }

    private static McpException failure(@Nullable RawJson error, TaskReport end) {
        if (error == null || error.bytes()[0] != '{') {
            return refused("The server's task failed" + words(end));
        }
        var message = Json.tree(error.bytes()).path("message").asString("");
        return McpException.ofTask(
                message.isEmpty() ? "The server's task failed" + words(end) : message,
                ServerError.read(error));
    }

    private static String words(TaskReport end) {
        var message = end.statusMessage();
        return message == null ? "" : ": " + message;
    }

    private RawJson collected() throws McpException, InterruptedException {
        var early = collecting;
        if (early == null) {
            return insist(RESULT, id);
        }
        collecting = null;
        try {
            var result = early.await(limit());
            var before = last;
            if (before != null) {
                before.done();
            }
            last = early;
            return result;
        } catch (McpException e) {
            if (!passes(e)) {
                throw e;
            }
            return insist(RESULT, id);
        }
    }

    /** Nobody waits for that, and nothing follows from how it ends. */
    private void cancel() {
        Thread.ofVirtual()
                .name("task-cancel")
                .start(
                        () -> {
                            try {
                                var _ = request("tasks/cancel");
                            } catch (McpException e) {
                                log.atDebug()
                                        .addKeyValue("kind", e.kind())
                                        .log("Server does not cancel its task");
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private RawJson request(String method) throws McpException, InterruptedException {
        var request = client.send(method, id, round, CANCEL);
        try {
            return request.await(CANCEL);
        } finally {
            request.done();
        }
    }
}
