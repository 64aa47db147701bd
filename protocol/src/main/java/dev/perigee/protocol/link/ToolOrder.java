package dev.perigee.protocol.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.json.Fields;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Tool requests on the link. */
public final class ToolOrder {
    private ToolOrder() {}

    /**
     * Runs a request: {@code tool/execute}.
     *
     * @param partition the partition of the request's user
     * @param origin where the request was read
     * @param processId the instance, null for requests about all of the user's servers
     * @param request as the backend wrote it
     * @param deadline append time of the record plus its timeout
     * @param reply where the backend wants the result besides tool-results, null for nowhere
     * @param traceparent W3C trace context of the request, null where it had none
     * @param mayHaveRun true when the request may have been run before, in a session that is gone:
     *     it runs again only where that is harmless, and else its result is {@code
     *     outcome_unknown}; absent for all others
     * @param lastDeadline how far progress may move the deadline; null when it does not
     * @param inputMs how long its questions may wait for answers, all together, in milliseconds;
     *     null when it may ask none
     * @param tracestate what goes with the traceparent, null where there is nothing; a worker of an
     *     earlier version drops it
     * @param resume the {@link HeldQuestion} that the call goes on from, on a worker that has not
     *     run it before; null for one that begins. Needs {@link LinkVersions#RESUMED_CALLS}: an
     *     older worker would begin it anew
     */
    public record Execute(
            int partition,
            RecordOrigin origin,
            @Nullable String processId,
            ToolRequest request,
            Instant deadline,
            @Nullable ReplyTo reply,
            @Nullable String traceparent,
            @Nullable Boolean mayHaveRun,
            @Nullable Instant lastDeadline,
            @Nullable Long inputMs,
            @Nullable String tracestate,
            @Nullable RawJson resume) {
        public Execute {
            Require.present(origin, "origin");
            Require.present(request, "request");
            Require.present(deadline, "deadline");
        }

        /** A request that begins, asks nothing and whose deadline does not move. */
        public Execute(
                int partition,
                RecordOrigin origin,
                @Nullable String processId,
                ToolRequest request,
                Instant deadline,
                @Nullable ReplyTo reply,
                @Nullable String traceparent,
                @Nullable Boolean mayHaveRun) {
            this(
                    partition,
                    origin,
                    processId,
                    request,
                    deadline,
                    reply,
                    traceparent,
                    mayHaveRun,
                    null,
                    null,
                    null,
                    null);
        }

        /**
         * Reads one.
         *
         * @throws InvalidRecordException when it is none
         */
        public static Execute read(RawJson json) {
            return Json.read(json.bytes(), Execute.class, Execute::of);
        }

        static Execute of(Fields fields) {
            Integer partition = null;
            RecordOrigin origin = null;
            String processId = null;
            ToolRequest request = null;
            Instant deadline = null;
            ReplyTo reply = null;
            String traceparent = null;
            Boolean mayHaveRun = null;
            Instant lastDeadline = null;
            Long inputMs = null;
            String tracestate = null;
            RawJson resume = null;
            for (var name = fields.next(); name != null; name = fields.next()) {
                switch (name) {
                    case "partition" -> partition = fields.smallNumber();
                    case "origin" -> origin = fields.object(RecordOrigin::of);
                    case "process_id" -> processId = fields.text();
                    case "request" -> request = fields.object(ToolRequest::of);
                    case "deadline" -> deadline = fields.time();
                    case "reply" -> reply = fields.object(ReplyTo::of);
                    case "traceparent" -> traceparent = fields.text();
                    case "may_have_run" -> mayHaveRun = fields.truth();
                    case "last_deadline" -> lastDeadline = fields.time();
                    case "input_ms" -> inputMs = fields.number();
                    case "tracestate" -> tracestate = fields.text();
                    case "resume" -> resume = fields.raw();
                    default -> {}
                }
            }
            return new Execute(
                    Require.present(partition, "partition"),
                    Require.present(origin, "origin"),
                    processId,
                    Require.present(request, "request"),
                    Require.present(deadline, "deadline"),
                    reply,
                    traceparent,
                    mayHaveRun,
                    lastDeadline,
                    inputMs,
                    tracestate,
                    resume);
        }

        /** Whether it is sent once more, after it may have run. */
        public boolean again() {
            return Boolean.TRUE.equals(mayHaveRun);
        }
    }

    /**
     * A message with {@code tool/execute}.
     *
     * @param id the JSON-RPC id
     * @param order its parameters
     */
    public record Ordered(long id, Execute order) {
        private static final byte[] METHOD = LinkMethod.EXECUTE.getBytes(UTF_8);

        /** Reads one in one go; null when it is none as we write them, but perhaps another. */
        public static @Nullable Ordered read(byte[] utf8) {
            var asked = JsonRpc.asked(utf8, METHOD);
            if (asked == null || asked.id() == null) {
                return null;
            }
            try {
                return new Ordered(asked.id(), Execute.read(asked.params()));
            } catch (InvalidRecordException e) {
                return null; // The reader of the whole message reports the error.
            }
        }

        /**
         * Reads one that needs no parser, as nearly all; null for any other message. Of the bytes
         * nothing is kept.
         *
         * @param length of the message, at the beginning of the buffer
         */
        public static @Nullable Ordered read(byte[] buffer, int length) {
            return Json.readPlain(buffer, length, Ordered::of);
        }

        private static @Nullable Ordered of(Fields fields) {
            String version = null;
            Long id = null;
            String method = null;
            Execute order = null;
            for (var name = fields.next(); name != null; name = fields.next()) {
                switch (name) {
                    case "jsonrpc" -> version = fields.text();
                    case "id" -> id = fields.number();
                    case "method" -> method = fields.text();
                    case "params" -> {
                        if (!LinkMethod.EXECUTE.equals(method)) {
                            return null;
                        }
                        order = fields.object(Execute::of);
                    }
                    default -> {}
                }
            }
            return JsonRpc.VERSION.equals(version)
                            && LinkMethod.EXECUTE.equals(method)
                            && id != null
                            && id >= 0
                            && order != null
                    ? new Ordered(id, order)
                    : null;
        }
    }

    /**
     * The answer to {@code tool/execute}. From version 7 of the link on it may be missing where an
     * event about the request says that it was accepted.
     *
     * @param answered the result, when no server had to be asked: it never ran and asking again is
     *     harmless. Null when the request was accepted: its result will be an event of type {@code
     *     perigee.tool.result}
     */
    public record Accepted(@Nullable ToolResult answered) {
        /** What nearly all are, as it is written. */
        public static final RawJson PLAINLY = RawJson.EMPTY_OBJECT;

        private static final Accepted ACCEPTED = new Accepted(null);

        /**
         * Reads one.
         *
         * @throws InvalidRecordException when it is none
         */
        public static Accepted read(RawJson json) {
            return json.equals(PLAINLY) ? ACCEPTED : Json.read(json, Accepted.class);
        }
    }

    /**
     * Cancels a running request: {@code tool/cancel}. Its result still comes, as an event.
     *
     * @param partition the partition of the request's user
     * @param requestId the request to cancel
     * @param teamId its team
     * @param userId its user
     */
    public record Cancel(int partition, String requestId, String teamId, String userId) {}

    /**
     * The answer to a cancellation.
     *
     * @param found whether there was something to cancel
     */
    public record Cancelled(boolean found) {}
}
