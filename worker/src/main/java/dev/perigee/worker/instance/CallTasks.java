package dev.perigee.worker.instance;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.worker.mcp.CallRound;
import dev.perigee.worker.mcp.JsonMembers;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.InputRequired;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.TaskReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decision whether a call may become a task of its server, and the task that it became. It may
 * where its request accepts that, and where the server does not run it otherwise: a legacy one says
 * so of the tool, a modern one refuses the call and names what it misses. For the call's thread.
 */
final class CallTasks {
    /** A modern server misses a capability of the client: it did not run the call. */
    private static final long MISSING_CAPABILITY = -32021;

    private static final String EXTENSION = "io.modelcontextprotocol/tasks";

    /** Until a result that is there was fetched. */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    private final Instance instance;
    private final ToolOrder.Execute order;
    private final ServerRequest request;
    private final CallDeadline deadline;
    private final @Nullable CallInput input;
    private final CallRounds rounds;
    private boolean accepted;
    private boolean augmented;
    private @Nullable String url;
    private @Nullable CallTask task;

    private record Wanted(@JsonProperty("ttl") long ttl) {}

    /**
     * A call that was not sent yet.
     *
     * @param input null where nobody may be asked
     * @param rounds of the call
     */
    CallTasks(
            Instance instance,
            ToolOrder.Execute order,
            ServerRequest request,
            CallDeadline deadline,
            @Nullable CallInput input,
            CallRounds rounds) {
        this.instance = instance;
        this.order = order;
        this.request = request;
        this.deadline = deadline;
        this.input = input;
        this.rounds = rounds;
        this.accepted =
                order.request().accepts(CallPart.TASK) || request.method().startsWith("tasks/");
    }

    /**
     * Whether a modern server may answer by a task, and ask; a legacy one was told in its
     * handshake.
     */
    CallRound round() {
        return new CallRound(
                mayAsk(),
                rounds.haveBegun(),
                accepted,
                CallReporting.levelOf(order.request()),
                null);
    }

    private boolean mayAsk() {
        return input != null && instance.journal().reaches(EventType.CALL_INPUT_REQUIRED);
    }

    /**
     * The parameters to send: a legacy server is asked for a task here.
     *
     * @param run that they go to
     */
    RawJson params(ServerRun run) {
        var params = rounds.params(request.params());
        url = run.config().url();
        augmented = isForLegacy(run);
        if (!augmented) {
            return params;
        }
        var most = deadline.mostLeft(System.nanoTime()).plus(MARGIN);
        var questions = order.inputMs();
        var all = new LinkedHashMap<String, Object>(JsonMembers.of(params));
        all.put("task", new Wanted(most.toMillis() + (questions == null ? 0 : questions)));
        return Json.raw(all);
    }

    private boolean isForLegacy(ServerRun run) {
        var view = instance.board().current();
        var catalogue = view == null ? null : view.catalogue();
        var tool =
                catalogue == null || request.tool() == null ? null : catalogue.find(request.tool());
        var client = run.client();
        var info = run.info();
        if (tool == null || info == null || client == null || client.listens()) {
            return false;
        }
        return switch (tool.tasks()) {
            case FORBIDDEN -> false;
            case OPTIONAL -> accepted && info.offersTasks();
            case REQUIRED -> info.offersTasks();
        };
    }

    /** Whether the server refused the call undone, and takes it as a task; true once. */
    boolean isDemandedBy(McpException refusal) {
        var own = refusal.serverError();
        var code = own == null ? null : own.code();
        var data = own == null ? null : own.data();
        if (accepted || request.tool() == null || data == null) {
            return false;
        }
        accepted =
                code != null
                        && code == MISSING_CAPABILITY
                        && Json.tree(data.bytes())
                                .path("requiredCapabilities")
                                .path("extensions")
                                .has(EXTENSION);
        return accepted;
    }

    /**
     * Whether the server made a task of the call, to be followed now.
     *
     * @param left until the call's deadline
     * @throws McpException when it made one that cannot be followed
     */
    boolean begin(ServerRun run, McpClient client, RawJson result, Supplier<Duration> left)
            throws McpException {
        boolean modern = client.listens();
        if (request.tool() == null || (!modern && !augmented)) {
            return false;
        }
        TaskReport created;
        try {
            created = TaskReport.createdBy(result, modern);
        } catch (InvalidRecordException e) {
            throw CallTask.refused(
                    "The server made a task of the call that cannot be followed: "
                            + e.getMessage());
        }
        if (created == null) {
            return false;
        }
        var teller = new TaskTeller(instance, order, run);
        if (!created.status().isTerminal()) {
            teller.tell(created);
        }
        end();
        task = new CallTask(run, url, client, created, mayAsk(), left, input, teller);
        return true;
    }

    /**
     * The result of the task that the server made of the call.
     *
     * @throws McpException when there is none
     */
    RawJson follow() throws McpException, InterruptedException {
        try {
            var result = Objects.requireNonNull(task).follow();
            if (InputRequired.isIn(result)) {
                throw InvalidRecordException.invalid("its result asks something");
            }
            return result;
        } catch (InvalidRecordException e) {
            throw CallTask.refused(
                    "The server's report of its task does not pass: " + e.getMessage());
        }
    }

    /** The failure as that of a call that was sent, where it became a task before. */
    McpException explain(McpException failure) {
        return task == null ? failure : failure.ofSentBefore();
    }

    /** The call's result is dealt with. */
    void end() {
        if (task != null) {
            task.end();
        }
    }
}
