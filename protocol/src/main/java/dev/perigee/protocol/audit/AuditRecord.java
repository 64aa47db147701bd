package dev.perigee.protocol.audit;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.IsoInstant;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.Headers;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Record of the topic {@code audit}: who did what to what, and why. It is written, and acknowledged
 * by Kafka, before the action is begun. The constructor throws {@link InvalidRecordException} where
 * a text is longer than it may be. A null field is absent.
 *
 * @param event always {@link #EVENT}
 * @param actionId the action's own id, that of its command where it is one; the record's key
 * @param requestId what several actions share that were asked for at once
 * @param action what is done
 * @param outcome accepted before it is done; failed where it then could not be begun
 * @param actor who asks: of the console by token, of the command line as the system names the user
 * @param role of the actor in the console, null for the command line, where Kafka's rights count
 * @param via {@code console} or {@code cli}
 * @param source the gateway that served the console, or the host of the command line
 * @param reason why, in the actor's words; null where none was given
 * @param teamId of the target, null where it has none; the following too
 * @param toolName without the server's slug
 * @param selection what was selected where it has no other name
 * @param error why it failed, null where it did not
 * @param timestamp when it was asked for, by the clock of the gateway or the command line
 */
public record AuditRecord(
        String event,
        String actionId,
        String requestId,
        AuditAction action,
        AuditOutcome outcome,
        String actor,
        @Nullable ActionRole role,
        String via,
        String source,
        @Nullable String reason,
        @Nullable String teamId,
        @Nullable String userId,
        @Nullable String installationId,
        @Nullable String processId,
        @Nullable String toolName,
        @Nullable String workerId,
        @Nullable String selection,
        @Nullable String error,
        Instant timestamp) {
    /** The value of {@code event} and {@code ce_type}. */
    public static final String EVENT = "perigee.audit.action";

    /** Longest reason, in characters. */
    public static final int MAX_REASON = 500;

    /** Longest of the other texts that are no ids, in characters. */
    public static final int MAX_TEXT = 1_000;

    public AuditRecord {
        Require.text(event, "event");
        Require.id(actionId, "action_id");
        Require.id(requestId, "request_id");
        Require.present(action, "action");
        Require.present(outcome, "outcome");
        bounded(Require.text(actor, "actor"), MAX_TEXT, "actor");
        bounded(Require.text(via, "via"), MAX_TEXT, "via");
        bounded(Require.text(source, "source"), MAX_TEXT, "source");
        bounded(reason, MAX_REASON, "reason");
        bounded(teamId, MAX_TEXT, "team_id");
        bounded(userId, MAX_TEXT, "user_id");
        bounded(installationId, MAX_TEXT, "installation_id");
        bounded(processId, MAX_TEXT, "process_id");
        bounded(toolName, MAX_TEXT, "tool_name");
        bounded(workerId, MAX_TEXT, "worker_id");
        bounded(selection, MAX_TEXT, "selection");
        bounded(error, MAX_TEXT, "error");
        Require.present(timestamp, "timestamp");
    }

    /**
     * Who acts, from where.
     *
     * @param role null for the command line
     * @param source the gateway, or the host of the command line
     */
    public record Actor(String name, @Nullable ActionRole role, String via, String source) {}

    /** An action that is about to be done. */
    public static AuditRecord accepted(
            String actionId,
            String requestId,
            AuditAction action,
            AuditTarget target,
            Actor actor,
            @Nullable String reason,
            Instant at) {
        return new AuditRecord(
                EVENT,
                actionId,
                requestId,
                action,
                AuditOutcome.ACCEPTED,
                actor.name(),
                actor.role(),
                actor.via(),
                actor.source(),
                reason,
                target.team(),
                target.user(),
                target.installation(),
                target.process(),
                target.tool(),
                target.worker(),
                target.selection(),
                null,
                at);
    }

    /** The same action, which could not be begun. */
    public AuditRecord failed(String why, Instant at) {
        return new AuditRecord(
                event,
                actionId,
                requestId,
                action,
                AuditOutcome.FAILED,
                actor,
                role,
                via,
                source,
                reason,
                teamId,
                userId,
                installationId,
                processId,
                toolName,
                workerId,
                selection,
                why.length() > MAX_TEXT ? why.substring(0, MAX_TEXT) : why,
                at);
    }

    /** The headers of its Kafka record, by name: CloudEvents in binary mode. */
    public Map<String, String> headers() {
        var headers = new LinkedHashMap<String, String>();
        headers.put(Headers.CE_SPECVERSION, "1.0");
        headers.put(Headers.CE_ID, actionId + "/" + outcome.name().toLowerCase(Locale.ROOT));
        headers.put(Headers.CE_SOURCE, "perigee/" + via + "/" + source);
        headers.put(Headers.CE_TYPE, event);
        headers.put(Headers.CE_SUBJECT, actionId);
        headers.put(Headers.CE_TIME, IsoInstant.write(timestamp));
        headers.put(Headers.CONTENT_TYPE, "application/json");
        return headers;
    }

    private static void bounded(@Nullable String text, int most, String field) {
        if (text != null && text.length() > most) {
            throw InvalidRecordException.invalid(
                    "field " + field + " is longer than " + most + " characters");
        }
    }
}
