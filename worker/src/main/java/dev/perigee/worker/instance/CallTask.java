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
import java.util.Collections;
import java.util.HashMap;
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

    /** A server's error of a task that it does not have. */
    private static final long UNKNOWN = -32602;

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

    /** Names of what was asked, by the question's id. */
    private final Map<String, Set<String>> open = new HashMap<>();

    /** Why the server did not take the responses, by the names of what it asked. */
    private final Map<String, McpException> refusals = new HashMap<>();

    private final Queue<Map<String, RawJson>> responses = new ConcurrentLinkedQueue<>();
    private final Semaphore responded = new Semaphore(0);

    /** The last answer, which occupies memory until it is dealt with. */
    private @Nullable McpRequest last;

    /** Result of a legacy task that asks: by this request its server is asked for the question. */
    private @Nullable McpRequest collecting;

    private int collections;

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
     * @param url by which the call was sent: another one is of another server. Null for a process
     * @param mayAsk whether the server may ask the call's author
     * @param left until the call's deadline
     */
    CallTask(
            ServerRun run,
            @Nullable String url,
            McpClient client,
            TaskReport created,
            boolean mayAsk,
            Supplier<Duration> left,
            @Nullable CallInput input,
            TaskTeller teller) {
        this.run = run;
        this.client = client;
        this.modern = client.listens();
        this.round = new CallRound(mayAsk, modern, true, null, url);
        this.left = left;
        this.input = input;
        this.teller = teller;
        this.machine = new TaskMachine(created);
        this.id = Json.raw(new Id(created.taskId()));
    }

    /**
     * The result of the call.
     *
     * @throws McpException when there is none; also as if the call had not been sent
     * @throws InvalidRecordException when a report does not pass; for people
     * @throws InterruptedException when interrupted
     */
    RawJson follow() throws McpException, InterruptedException {
        var asks = run.questions().remember(machine.taskId(), input);
        try {
            RawJson result;
            do {
                pause(machine.pause());
                update();
                result = turn();
            } while (result == null);
            return result;
        } finally {
            run.questions().forget(asks);
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
        release();
    }

    private void release() {
        var answer = last;
        if (answer != null) {
            answer.done();
        }
        last = null;
    }

    /** The result; null while there is none. */
    private @Nullable RawJson turn() throws McpException, InterruptedException {
        var report = look();
        if (report != null) {
            if (machine.state().isOver()) {
                return outcome(report);
            }
            ask(report);
        }
        release();
        return null;
    }

    /** Waits: no longer than somebody needs to answer a question, or the server to end. */
    private void pause(Duration pause) throws McpException, InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        requireTime();
        for (long rest = pause.toNanos(); rest > 0; rest = end - System.nanoTime()) {
            long slice = capped(Duration.ofNanos(Math.min(rest, SLICE.toNanos()))).toNanos();
            if (run.isOver() || responded.tryAcquire(slice, TimeUnit.NANOSECONDS)) {
                break;
            }
            requireTime();
        }
        responded.drainPermits();
        requireTime();
    }

    /** No more than is left until the deadline, unless that stands still. */
    private Duration capped(Duration wanted) {
        if (input != null && input.isOpen()) {
            return wanted;
        }
        var most = left.get();
        return most.compareTo(wanted) < 0 ? most : wanted;
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
            if (!e.mayPass() || !machine.missed()) {
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
        release();
        var limit = capped(LOOK);
        var request = send(method, params, limit);
        last = request;
        return request.await(limit);
    }

    private McpRequest send(String method, RawJson params, Duration limit)
            throws McpException, InterruptedException {
        return client.send(method, params, round, limit);
    }

    /** For requests whose repetition changes nothing. */
    private RawJson insist(String method, RawJson params)
            throws McpException, InterruptedException {
        for (int failures = 0; ; failures++) {
            try {
                return exchange(method, params);
            } catch (McpException e) {
                if (!e.mayPass() || failures == TaskMachine.MOST_FAILURES) {
                    throw e;
                }
                pause(TaskMachine.USUAL_POLL.multipliedBy(1L << Math.min(failures, 5)));
            }
        }
    }

    private void ask(TaskReport report) throws McpException, InterruptedException {
        boolean asks = machine.state() == TaskMachine.State.ASKING;
        if (modern) {
            question(
                    asks
                            ? CallRounds.requests(
                                    InputRequired.read(report.whole()).requests(), run)
                            : new HashMap<>());
        } else if (asks) {
            collect();
        }
    }

    /**
     * Has the server ask its question; anew where the request for it was lost, but not for ever.
     */
    private void collect() throws McpException, InterruptedException {
        var early = collecting;
        boolean asked = early != null && !early.hasFailed();
        if (asked || ++collections > TaskMachine.MOST_FAILURES) {
            return;
        }
        try {
            collecting = send(RESULT, id, capped(LOOK));
        } catch (McpException e) {
            if (!e.mayPass()) {
                throw e;
            }
        }
    }

    /**
     * Puts what was not asked before to the call's author, and takes back what is not asked any
     * more; that is asked anew when the server does.
     */
    private void question(Map<String, CallInput.Request> requests) throws McpException {
        withdraw(requests.keySet());
        for (var name : requests.keySet()) {
            var refusal = refusals.get(name);
            if (refusal != null) {
                throw refusal;
            }
        }
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
        var names = Set.copyOf(requests.keySet());
        var question = input.ask(requests, run::masked, run.pid(), new Author());
        if (question == null) {
            throw refused(
                    "The server's task asks something, and there is no room for its question");
        }
        open.put(question, names);
    }

    private void withdraw(Set<String> asks) {
        open.entrySet()
                .removeIf(
                        question -> {
                            boolean over = Collections.disjoint(question.getValue(), asks);
                            if (over && input != null && input.withdrawn(question.getKey())) {
                                asked.removeAll(question.getValue());
                            }
                            return over;
                        });
    }

    /** The server took the call, and is at fault. */
    static McpException refused(String why) {
        return McpException.ofTask(why, new ServerError(null, null));
    }

    /**
     * Hands the server the responses that came. One that it refuses it may not ask for any more.
     */
    private void update() throws McpException, InterruptedException {
        for (var next = responses.poll(); next != null; next = responses.poll()) {
            try {
                var _ = insist(UPDATE, Json.raw(new Update(machine.taskId(), next)));
            } catch (McpException e) {
                if (e.kind() != McpException.Kind.SERVER_ERROR) {
                    throw e;
                }
                next.keySet().forEach(name -> refusals.put(name, e));
            }
        }
    }

    private RawJson outcome(TaskReport end) throws McpException, InterruptedException {
        if (machine.state() == TaskMachine.State.CANCELLED) {
            throw refused("The server cancelled the task that it made of the call" + words(end));
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
        McpException first = null;
        if (early != null) {
            try {
                var result = early.await(capped(LOOK));
                release();
                last = early;
                collecting = null;
                return result;
            } catch (McpException e) {
                // It may have been too early, or lost: it is asked for once more.
                collecting = null;
                first = e;
            }
        }
        try {
            return insist(RESULT, id);
        } catch (McpException e) {
            if (first != null && first.kind() == McpException.Kind.SERVER_ERROR && isUnknown(e)) {
                throw first;
            }
            throw e;
        }
    }

    /** Whether the server does not have the task, any more perhaps. */
    private static boolean isUnknown(McpException failure) {
        var own = failure.serverError();
        var code = own == null ? null : own.code();
        return code != null && code == UNKNOWN;
    }

    /** Best effort: the outcome is not awaited and changes nothing. */
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
        var request = send(method, id, CANCEL);
        try {
            return request.await(CANCEL);
        } finally {
            request.done();
        }
    }
}
