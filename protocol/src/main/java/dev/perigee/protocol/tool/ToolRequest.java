package dev.perigee.protocol.tool;

import dev.perigee.protocol.json.Fields;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.NumberRange;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the backend writes it to {@code tool-requests}. The constructor throws {@link
 * InvalidRecordException}, which makes the record a dead letter, answered {@code invalid_request}
 * where its id can be read, when a required field is missing or a value is not acceptable.
 *
 * @param requestId the request's own id, as {@link Require#id} has them; required. Used again
 *     within ten minutes it is neither run nor answered a second time, except after {@code
 *     overloaded}
 * @param teamId the team of the record's key; required
 * @param userId the user of the record's key, whose servers are asked; required
 * @param method a {@link ToolMethod}'s name; required; kept as text so that an unknown one can be
 *     answered
 * @param toolPath {@code server_slug:tool}, {@code slug|uri} for a resource, {@code slug:prompt}
 *     for a prompt, the bare slug for a list of one server; see {@link ToolPath}. Null where the
 *     method needs no server
 * @param installationId needed where the user has two installations of one server, else may be null
 * @param arguments passed to the server unchanged; null for none
 * @param timeoutMs time from the record's append to the answer, in milliseconds, {@link
 *     NumberRange#TIMEOUT_MS}; null for the gateway's {@code request.timeout}. Less than the range
 *     is refused here, more by {@link #requireLimits()}
 * @param query of a search, which needs one that is not blank; null for other methods
 * @param limit of a search, at least 1; null is 10
 * @param accepts names of {@link CallPart}s: what is published of the running call besides its
 *     answer; null for nothing
 * @param meta becomes part of the MCP request's {@code _meta}, see {@link RequestMeta}; null for
 *     none
 * @param logLevel the least {@link LogLevel} of messages that are accepted, by name; null for all
 *     that the server sends
 * @param extendOnProgressMs by each progress the deadline moves to so many milliseconds from then,
 *     at most to {@code maxTimeoutMs}; null leaves it where it is. Needs {@code progress} accepted
 * @param maxTimeoutMs latest moment of a deadline that moves, in milliseconds from the record's
 *     append; null is {@link #DEFAULT_MAX_TIMEOUT_MS}
 * @param inputTimeoutMs how long a question of the server may wait for its answer, in milliseconds,
 *     at most what the gateway allows; null is {@link #DEFAULT_INPUT_TIMEOUT_MS}. Needs {@code
 *     input} accepted
 * @param inReplyTo of {@code call/respond}, required there: the request whose call asked
 * @param inputId of {@code call/respond}, required there: the question
 * @param responses of {@code call/respond}, required there: an object with one response for each of
 *     the question's requests, under the same name
 */
public record ToolRequest(
        String requestId,
        String teamId,
        String userId,
        String method,
        @Nullable String toolPath,
        @Nullable String installationId,
        @Nullable RawJson arguments,
        @Nullable Long timeoutMs,
        @Nullable String query,
        @Nullable Long limit,
        @Nullable List<String> accepts,
        @Nullable RawJson meta,
        @Nullable String logLevel,
        @Nullable Long extendOnProgressMs,
        @Nullable Long maxTimeoutMs,
        @Nullable Long inputTimeoutMs,
        @Nullable String inReplyTo,
        @Nullable String inputId,
        @Nullable RawJson responses) {
    /** Default of {@code maxTimeoutMs}, in milliseconds: an hour. */
    public static final long DEFAULT_MAX_TIMEOUT_MS = 3_600_000;

    /** Default of {@code inputTimeoutMs}, in milliseconds: five minutes. */
    public static final long DEFAULT_INPUT_TIMEOUT_MS = 300_000;

    /** Largest {@link #responses}: 1 MiB. */
    public static final int MAX_RESPONSES_BYTES = 1 << 20;

    private static final String INPUT_TIMEOUT = "input_timeout_ms";
    private static final String TIMEOUT = "timeout_ms";
    private static final String EXTEND = "extend_on_progress_ms";
    private static final String MAX_TIMEOUT = "max_timeout_ms";

    public ToolRequest {
        accepts = accepts == null ? null : List.copyOf(accepts);
        NumberRange.TIMEOUT_MS.requireLeast(extendOnProgressMs, EXTEND);
        NumberRange.TIMEOUT_MS.requireLeast(maxTimeoutMs, MAX_TIMEOUT);
        NumberRange.TIMEOUT_MS.requireLeast(inputTimeoutMs, INPUT_TIMEOUT);
        Require.id(requestId, "request_id");
        Require.id(teamId, "team_id");
        Require.id(userId, "user_id");
        Require.text(method, "method");
        NumberRange.TIMEOUT_MS.requireLeast(timeoutMs, TIMEOUT);
        Require.atLeast(limit, 1, "limit");
    }

    /** A request that is asked nothing, and answers no question. */
    public ToolRequest(
            String requestId,
            String teamId,
            String userId,
            String method,
            @Nullable String toolPath,
            @Nullable String installationId,
            @Nullable RawJson arguments,
            @Nullable Long timeoutMs,
            @Nullable String query,
            @Nullable Long limit,
            @Nullable List<String> accepts,
            @Nullable RawJson meta,
            @Nullable String logLevel,
            @Nullable Long extendOnProgressMs,
            @Nullable Long maxTimeoutMs) {
        this(
                requestId,
                teamId,
                userId,
                method,
                toolPath,
                installationId,
                arguments,
                timeoutMs,
                query,
                limit,
                accepts,
                meta,
                logLevel,
                extendOnProgressMs,
                maxTimeoutMs,
                null,
                null,
                null,
                null);
    }

    /** A request that accepts nothing but its answer. */
    public ToolRequest(
            String requestId,
            String teamId,
            String userId,
            String method,
            @Nullable String toolPath,
            @Nullable String installationId,
            @Nullable RawJson arguments,
            @Nullable Long timeoutMs,
            @Nullable String query,
            @Nullable Long limit) {
        this(
                requestId,
                teamId,
                userId,
                method,
                toolPath,
                installationId,
                arguments,
                timeoutMs,
                query,
                limit,
                null,
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
    public static ToolRequest read(byte[] utf8) {
        return Json.readInput(utf8, ToolRequest.class, ToolRequest::of);
    }

    /** Takes the fields of one. */
    public static ToolRequest of(Fields fields) {
        String requestId = null;
        String teamId = null;
        String userId = null;
        String method = null;
        String toolPath = null;
        String installationId = null;
        RawJson arguments = null;
        Long timeoutMs = null;
        String query = null;
        Long limit = null;
        List<String> accepts = null;
        RawJson meta = null;
        String logLevel = null;
        Long extendOnProgressMs = null;
        Long maxTimeoutMs = null;
        Long inputTimeoutMs = null;
        String inReplyTo = null;
        String inputId = null;
        RawJson responses = null;
        for (var name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "request_id" -> requestId = fields.text();
                case "team_id" -> teamId = fields.text();
                case "user_id" -> userId = fields.text();
                case "method" -> method = fields.text();
                case "tool_path" -> toolPath = fields.text();
                case "installation_id" -> installationId = fields.text();
                case "arguments" -> arguments = fields.raw();
                case "timeout_ms" -> timeoutMs = fields.number();
                case "query" -> query = fields.text();
                case "limit" -> limit = fields.number();
                case "accepts" -> accepts = fields.texts();
                case "meta" -> meta = fields.raw();
                case "log_level" -> logLevel = fields.text();
                case EXTEND -> extendOnProgressMs = fields.number();
                case MAX_TIMEOUT -> maxTimeoutMs = fields.number();
                case INPUT_TIMEOUT -> inputTimeoutMs = fields.number();
                case "in_reply_to" -> inReplyTo = fields.text();
                case "input_id" -> inputId = fields.text();
                case "responses" -> responses = fields.raw();
                default -> {}
            }
        }
        return new ToolRequest(
                Require.present(requestId, "request_id"),
                Require.present(teamId, "team_id"),
                Require.present(userId, "user_id"),
                Require.present(method, "method"),
                toolPath,
                installationId,
                arguments,
                timeoutMs,
                query,
                limit,
                accepts,
                meta,
                logLevel,
                extendOnProgressMs,
                maxTimeoutMs,
                inputTimeoutMs,
                inReplyTo,
                inputId,
                responses);
    }

    /**
     * Checks what a new request may ask for.
     *
     * @throws InvalidRecordException naming the field and its limits
     */
    public void requireLimits() {
        NumberRange.TIMEOUT_MS.require(timeoutMs, TIMEOUT);
        NumberRange.TIMEOUT_MS.require(extendOnProgressMs, EXTEND);
        NumberRange.TIMEOUT_MS.require(maxTimeoutMs, MAX_TIMEOUT);
        if (accepts != null && accepts.stream().anyMatch(part -> CallPart.of(part) == null)) {
            throw InvalidRecordException.invalid(
                    "field accepts has something else than progress, log, input and task");
        }
        if (logLevel != null && LogLevel.of(logLevel) == null) {
            throw InvalidRecordException.invalid("field log_level is no level of MCP's");
        }
        if (extendOnProgressMs != null && !accepts(CallPart.PROGRESS)) {
            throw InvalidRecordException.invalid(
                    "field extend_on_progress_ms needs progress in accepts");
        }
        NumberRange.TIMEOUT_MS.require(inputTimeoutMs, INPUT_TIMEOUT);
        if (inputTimeoutMs != null && !accepts(CallPart.INPUT)) {
            throw InvalidRecordException.invalid("field input_timeout_ms needs input in accepts");
        }
        if (method.equals(ToolMethod.CALL_RESPOND.wireName())) {
            requireResponse();
        }
        if (timeoutMs != null && maxTimeoutMs != null && maxTimeoutMs < timeoutMs) {
            throw InvalidRecordException.invalid("field max_timeout_ms is less than timeout_ms");
        }
        if (meta != null) {
            RequestMeta.require(meta);
        }
    }

    private void requireResponse() {
        Require.id(inReplyTo, "in_reply_to");
        Require.id(inputId, "input_id");
        var given = Require.present(responses, "responses");
        if (given.bytes()[0] != '{') {
            throw InvalidRecordException.invalid("field responses is not a JSON object");
        }
        if (given.size() > MAX_RESPONSES_BYTES) {
            throw InvalidRecordException.invalid(
                    "field responses is larger than " + MAX_RESPONSES_BYTES + " bytes");
        }
    }

    /** Whether this is published of the running call. */
    public boolean accepts(CallPart part) {
        return accepts != null && accepts.contains(part.wireName());
    }

    /** Bytes of what is passed to the server. */
    public int payloadBytes() {
        return size(arguments) + size(meta) + size(responses);
    }

    private static int size(@Nullable RawJson json) {
        return json == null ? 0 : json.size();
    }

    /** The key that its record has to have. */
    public RecordKey key() {
        return new RecordKey(teamId, userId);
    }

    /**
     * A call of one tool of this user's.
     *
     * @param toolPath {@code server_slug:tool}
     * @param arguments a JSON object
     * @param timeoutMs as the component: milliseconds, null for the gateway's default
     * @throws InvalidRecordException when a value is not acceptable
     */
    public static ToolRequest call(
            String requestId,
            String teamId,
            String userId,
            String toolPath,
            RawJson arguments,
            @Nullable Long timeoutMs) {
        return new ToolRequest(
                requestId,
                teamId,
                userId,
                ToolMethod.TOOLS_CALL.wireName(),
                toolPath,
                null,
                arguments,
                timeoutMs,
                null,
                null);
    }

    /**
     * A cancellation of a running call of the same user.
     *
     * @param requestId of the call
     * @throws InvalidRecordException when the key has no user, or a value is not acceptable
     */
    public static ToolRequest cancel(String requestId, RecordKey of) {
        return new ToolRequest(
                requestId,
                of.teamId(),
                Require.present(of.userId(), "user_id"),
                ToolMethod.CANCEL.wireName(),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /**
     * The answer to a question of a running call; a request of its own.
     *
     * @param inReplyTo the request whose call asked
     * @param inputId the question
     * @param responses an object with one response for each of the question's requests
     * @param timeoutMs as the component: milliseconds, null for the gateway's default
     * @throws InvalidRecordException when the key has no user, or a value is not acceptable
     */
    public static ToolRequest respond(
            String requestId,
            RecordKey of,
            String inReplyTo,
            String inputId,
            RawJson responses,
            @Nullable Long timeoutMs) {
        return new ToolRequest(
                requestId,
                of.teamId(),
                Require.present(of.userId(), "user_id"),
                ToolMethod.CALL_RESPOND.wireName(),
                null,
                null,
                null,
                timeoutMs,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                inReplyTo,
                inputId,
                responses);
    }

    /**
     * The same request, which accepts {@code input}, too.
     *
     * @param timeoutMs how long a question may wait, in milliseconds; null for {@link
     *     #DEFAULT_INPUT_TIMEOUT_MS}
     */
    public ToolRequest acceptingInput(@Nullable Long timeoutMs) {
        var parts = new ArrayList<>(accepts == null ? List.<String>of() : accepts);
        if (!parts.contains(CallPart.INPUT.wireName())) {
            parts.add(CallPart.INPUT.wireName());
        }
        return with(arguments, meta, responses, parts, timeoutMs);
    }

    private ToolRequest with(
            @Nullable RawJson itsArguments,
            @Nullable RawJson itsMeta,
            @Nullable RawJson itsResponses,
            @Nullable List<String> itsAccepts,
            @Nullable Long itsInputTimeoutMs) {
        return new ToolRequest(
                requestId,
                teamId,
                userId,
                method,
                toolPath,
                installationId,
                itsArguments,
                timeoutMs,
                query,
                limit,
                itsAccepts,
                itsMeta,
                logLevel,
                extendOnProgressMs,
                maxTimeoutMs,
                itsInputTimeoutMs,
                inReplyTo,
                inputId,
                itsResponses);
    }

    /** The same request, of which arguments, meta and responses are not kept. */
    public ToolRequest withoutArguments() {
        return with(null, null, null, accepts, inputTimeoutMs);
    }

    /** Everything but arguments, meta and responses, which are the user's. */
    @Override
    public String toString() {
        return "ToolRequest[" + requestId + ", " + method + ", " + toolPath + "]";
    }
}
