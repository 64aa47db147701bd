package dev.perigee.worker.instance;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.CallPart;
import dev.perigee.worker.mcp.JsonMembers;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.ServerRequest;
import dev.perigee.worker.tool.TaskReport;
import java.time.Duration;
import java.util.LinkedHashMap;
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
    private boolean accepted;
    private boolean augmented;
    private @Nullable CallTask task;

    private record Wanted(@JsonProperty("ttl") long ttl) {}

    /**
     * A call that was not sent yet.
     *
     * @param input null where nobody may be asked
     */
    CallTasks(
            Instance instance,
            ToolOrder.Execute order,
            ServerRequest request,
            CallDeadline deadline,
            @Nullable CallInput input) {
        this.instance = instance;
        this.order = order;
        this.request = request;
        this.deadline = deadline;
        this.input = input;
        this.accepted =
                order.request().accepts(CallPart.TASK) || request.method().startsWith("tasks/");
    }

    /** Whether a modern server may answer by a task. */
    boolean isAccepted() {
        return accepted;
    }

    /** Whether the server may ask the call's author. */
    boolean mayAsk() {
        return input != null && instance.journal().reaches(EventType.CALL_INPUT_REQUIRED);
    }

    /**
     * The parameters to send: a legacy server is asked for a task here.
     *
     * @param run that they go to
     */
    RawJson params(RawJson params, ServerRun run) {
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
     * What the call comes to: the result itself, or that of the task that it is.
     *
     * @param left until the call's deadline
     * @throws McpException when there is none; never as if the call had not been sent
     */
    RawJson outcome(ServerRun run, McpClient client, RawJson result, Supplier<Duration> left)
            throws McpException, InterruptedException {
        boolean modern = client.listens();
        if (request.tool() == null || (!modern && !augmented)) {
            return result;
        }
        TaskReport created;
        try {
            created = TaskReport.createdBy(result, modern);
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "The server made a task of the call that cannot be followed: "
                            + e.getMessage());
        }
        if (created == null) {
            return result;
        }
        var teller = new TaskTeller(instance, order, run);
        if (!created.status().isTerminal()) {
            teller.tell(created);
        }
        var made = new CallTask(run, client, created, mayAsk(), left, input, teller);
        task = made;
        return made.follow();
    }

    /** The call's result is dealt with. */
    void end() {
        if (task != null) {
            task.end();
        }
    }
}
