package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * State of a server's task as the server reports it: in the answer to the call that became a task,
 * or to {@code tasks/get}. All of it is the server's, and no message about it repeats any of it.
 * Pure.
 *
 * @param statusMessage the beginning of it, null where it gives none
 * @param poll how long to wait before it is asked again, null where it does not say
 * @param whole the report as it came
 */
public record TaskReport(
        String taskId,
        TaskStatus status,
        @Nullable String statusMessage,
        @Nullable Duration poll,
        RawJson whole) {
    /** Longest id of a task, in characters. */
    public static final int MAX_ID_CHARACTERS = 1024;

    /** So much is kept of what a server says, for secrets to be taken out before it is cut. */
    public static final int MAX_MESSAGE_CHARACTERS = 8_000;

    private static final byte[] TYPE = "\"task\"".getBytes(StandardCharsets.UTF_8);

    /** Beyond what anybody waits; what is more, or no number of milliseconds, is as much. */
    private static final double MOST_POLL_MS = Duration.ofDays(1).toMillis();

    private record Typed(
            @JsonProperty("resultType") @Nullable RawJson resultType, @Nullable RawJson task) {}

    private record Id(@JsonProperty("taskId") @Nullable RawJson taskId) {}

    private record Wire(
            @JsonProperty("taskId") @Nullable RawJson taskId,
            @Nullable RawJson status,
            @JsonProperty("statusMessage") @Nullable RawJson statusMessage,
            @JsonProperty("pollInterval") @Nullable RawJson pollInterval,
            @JsonProperty("pollIntervalMs") @Nullable RawJson pollIntervalMs) {}

    /**
     * The task that a server made of a call; null where its result is none. Others, however large,
     * are not parsed.
     *
     * @param modern by the type of the result, rather than by its member {@code task}
     * @throws InvalidRecordException when it cannot be followed; for people
     */
    public static @Nullable TaskReport createdBy(RawJson result, boolean modern) {
        if (!JsonBytes.have(result, TYPE)) {
            return null;
        }
        Typed typed;
        try {
            typed = Json.read(result, Typed.class);
        } catch (InvalidRecordException e) {
            return null; // As any result that is no object.
        }
        if (modern) {
            return "task".equals(text(typed.resultType())) ? read(result) : null;
        }
        var task = typed.task();
        return task == null || task.bytes()[0] != '{' ? null : read(task);
    }

    /**
     * Reads a report.
     *
     * @throws InvalidRecordException when it is none; for people
     */
    public static TaskReport read(RawJson task) {
        Wire wire;
        try {
            wire = Json.read(task, Wire.class);
        } catch (InvalidRecordException e) {
            throw InvalidRecordException.invalid("it is not as MCP has it");
        }
        var id = id(wire.taskId());
        if (id == null) {
            throw InvalidRecordException.invalid(
                    "it has no id, or one of more than %d characters".formatted(MAX_ID_CHARACTERS));
        }
        var status = TaskStatus.of(text(wire.status()));
        if (status == null) {
            throw InvalidRecordException.invalid("it has a status that MCP does not know");
        }
        var legacy = poll(wire.pollInterval());
        return new TaskReport(
                id,
                status,
                message(text(wire.statusMessage())),
                legacy == null ? poll(wire.pollIntervalMs()) : legacy,
                task);
    }

    /** The id of a task in the parameters of a request; null where there is none. */
    static @Nullable String idIn(RawJson params) {
        return id(Json.read(params, Id.class).taskId());
    }

    private static @Nullable String id(@Nullable RawJson given) {
        var id = text(given);
        return id == null || id.isEmpty() || id.length() > MAX_ID_CHARACTERS ? null : id;
    }

    private static @Nullable String message(@Nullable String said) {
        return said == null || said.length() <= MAX_MESSAGE_CHARACTERS
                ? said
                : said.substring(0, MAX_MESSAGE_CHARACTERS);
    }

    private static @Nullable String text(@Nullable RawJson json) {
        if (json == null || json.bytes()[0] != '"') {
            return null;
        }
        return Json.tree(json.bytes()).stringValue();
    }

    private static @Nullable Duration poll(@Nullable RawJson json) {
        if (json == null) {
            return null;
        }
        var said = Json.tree(json.bytes());
        return said.isNumber()
                ? Duration.ofMillis((long) Math.clamp(said.asDouble(MOST_POLL_MS), 0, MOST_POLL_MS))
                : null;
    }

    /** Neither id nor words: both are the server's. */
    @Override
    public String toString() {
        return "TaskReport[" + status + "]";
    }
}
