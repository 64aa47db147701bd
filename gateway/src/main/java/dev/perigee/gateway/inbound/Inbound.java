package dev.perigee.gateway.inbound;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandAction;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A record that was read and classified. */
public sealed interface Inbound {
    /** Where it was read. */
    RecordOrigin origin();

    /**
     * A command that can be acted on.
     *
     * @param key whom it addresses; the user id is null for every user of the team
     * @param appendedAt the record's time
     * @param copyOf what it repeats, where it is the copy of a command for every user
     */
    record CommandRead(
            RecordOrigin origin,
            RecordKey key,
            Command command,
            CommandAction action,
            Instant appendedAt,
            @Nullable CopyOf copyOf,
            @Nullable String traceparent)
            implements Inbound {

        /** True for a command for every user of a team that is yet to be copied. */
        public boolean isBroadcast() {
            return key.userId() == null && copyOf == null;
        }
    }

    /**
     * The command for every user that a copy repeats.
     *
     * @param appendedAt when it was appended: what was configured later is not its business
     */
    record CopyOf(RecordOrigin record, Instant appendedAt) {}

    /** Outcome of one partition's copy of a command for every user. */
    record ReportRead(RecordOrigin origin, BroadcastReport report) implements Inbound {}

    /**
     * A tool request that can be acted on.
     *
     * @param path null for methods that name no server
     * @param appendedAt the record's time, by this gateway's clock
     * @param deadline append time plus the request's timeout, both by this gateway's clock
     * @param recordDeadline the same by the clock that wrote the append time, for workers
     * @param extension how progress moves the deadline, null where it does not
     * @param input how long its questions may wait for answers, all together; null where it accepts
     *     none
     * @param traceparent W3C trace context of its author, null where it has none; not yet checked
     * @param tracestate what goes with that, null where there is none; not yet checked
     */
    record RequestRead(
            RecordOrigin origin,
            ToolRequest request,
            ToolMethod method,
            @Nullable ToolPath path,
            Instant appendedAt,
            Instant deadline,
            Instant recordDeadline,
            @Nullable ReplyTo reply,
            @Nullable String traceparent,
            @Nullable Extension extension,
            @Nullable Duration input,
            @Nullable String tracestate)
            implements Inbound {

        /** A request whose deadline does not move. */
        public RequestRead(
                RecordOrigin origin,
                ToolRequest request,
                ToolMethod method,
                @Nullable ToolPath path,
                Instant appendedAt,
                Instant deadline,
                Instant recordDeadline,
                @Nullable ReplyTo reply,
                @Nullable String traceparent) {
            this(
                    origin,
                    request,
                    method,
                    path,
                    appendedAt,
                    deadline,
                    recordDeadline,
                    reply,
                    traceparent,
                    null,
                    null,
                    null);
        }

        /** All but what makes it large. */
        public RequestRead withoutArguments() {
            return request.payloadBytes() == 0
                    ? this
                    : new RequestRead(
                            origin,
                            request.withoutArguments(),
                            method,
                            path,
                            appendedAt,
                            deadline,
                            recordDeadline,
                            reply,
                            traceparent,
                            extension,
                            input,
                            tracestate);
        }
    }

    /**
     * How progress moves a request's deadline.
     *
     * @param each from a progress to the deadline that it makes
     * @param most from the first deadline to the last
     */
    record Extension(Duration each, Duration most) {}

    /**
     * A record that cannot be acted on: it becomes a dead letter, and its author gets an answer
     * where one can be addressed.
     *
     * @param detail what is wrong and what to do about it; names fields, never their values
     */
    record Rejected(
            RecordOrigin origin,
            DeadLetterReason reason,
            String detail,
            Addressee addressee,
            @Nullable String traceparent)
            implements Inbound {}

    /** Whom to answer. */
    sealed interface Addressee {
        /** Nothing in the record says who asks. */
        record Nobody() implements Addressee {}

        /**
         * A command's author.
         *
         * @param configured the command brings a configuration
         */
        record CommandAuthor(String commandId, @Nullable String correlationId, boolean configured)
                implements Addressee {}

        /** A request's author; the reply is null unless its topic is allowed. */
        record RequestAuthor(
                String requestId,
                @Nullable String teamId,
                @Nullable String userId,
                @Nullable String toolPath,
                @Nullable ReplyTo reply)
                implements Addressee {}
    }
}
