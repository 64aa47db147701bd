package dev.perigee.console;

import dev.perigee.protocol.audit.AuditAction;
import dev.perigee.protocol.audit.AuditRecord;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.Require;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Checked request for an action.
 *
 * @param processes the instances, none where it is about a worker or dead letters
 * @param letters places of dead letters, {@code partition@offset}, none where it is about others
 * @param tool null where it is about none
 * @param worker null where it is about none
 */
record ActionAsk(
        AuditAction action,
        List<String> processes,
        List<String> letters,
        @Nullable String tool,
        @Nullable String worker,
        String reason) {
    /** Most instances, or dead letters, at once. */
    static final int MOST = 1_000;

    private static final int MAX_PROCESS_ID = 1_000;
    private static final Pattern PLACE = Pattern.compile("(0|[1-9]\\d{0,5})@(0|[1-9]\\d{0,17})");

    ActionAsk {
        processes = List.copyOf(processes);
        letters = List.copyOf(letters);
    }

    private record Body(
            @Nullable String action,
            @Nullable List<@Nullable String> processIds,
            @Nullable List<@Nullable String> letters,
            @Nullable Integer count,
            @Nullable String tool,
            @Nullable String worker,
            @Nullable String reason) {}

    /**
     * Reads a request's body.
     *
     * @throws ActionRefusedException when something in it is missing, wrong or too long
     */
    static ActionAsk read(byte[] json) throws ActionRefusedException {
        try {
            return of(Json.read(json, Body.class));
        } catch (InvalidRecordException e) {
            throw new ActionRefusedException(
                    HttpStatus.BAD_REQUEST_400, "not an action: " + e.getMessage());
        }
    }

    private static ActionAsk of(Body body) throws ActionRefusedException {
        var action = AuditAction.of(body.action());
        if (action == null || action == AuditAction.DELETE) {
            throw bad(
                    "action must be restart, recover, block, unblock, disable_tool, enable_tool,"
                            + " redrive, drain or undo_drain");
        }
        boolean ofLetters = action == AuditAction.REDRIVE;
        boolean ofWorker = action.commandType() == null && !ofLetters;
        var processes =
                ofWorker || ofLetters
                        ? List.<String>of()
                        : named(body, body.processIds(), "process_ids");
        var letters = ofLetters ? named(body, body.letters(), "letters") : List.<String>of();
        if (!letters.stream().allMatch(place -> PLACE.matcher(place).matches())) {
            throw bad("letters must be places on dead-letters, partition@offset");
        }
        var tool = action.needsTool() ? Require.id(body.tool(), "tool") : null;
        var worker = ofWorker ? Require.id(body.worker(), "worker") : null;
        return new ActionAsk(action, processes, letters, tool, worker, reason(body.reason()));
    }

    private static List<String> named(Body body, @Nullable List<@Nullable String> ids, String field)
            throws ActionRefusedException {
        if (ids == null || ids.isEmpty() || ids.size() > MOST) {
            throw bad(field + " must be from 1 to " + MOST);
        }
        var distinct = new HashSet<String>();
        for (var id : ids) {
            if (id == null || id.isBlank() || id.length() > MAX_PROCESS_ID || !distinct.add(id)) {
                throw bad(field + " must be ids, each once");
            }
        }
        if (ids.size() > 1 && (body.count() == null || body.count() != ids.size())) {
            throw bad("count must be how many " + field + " there are: " + ids.size());
        }
        return List.copyOf(distinct);
    }

    private static String reason(@Nullable String text) throws ActionRefusedException {
        var reason = text == null ? "" : text.strip();
        if (reason.isEmpty()) {
            throw bad("reason is missing: say why, it goes to the audit topic");
        }
        if (reason.length() > AuditRecord.MAX_REASON) {
            throw bad("reason is longer than " + AuditRecord.MAX_REASON + " characters");
        }
        if (reason.chars().anyMatch(Character::isISOControl)) {
            throw bad("reason must be one line without control characters");
        }
        return reason;
    }

    private static ActionRefusedException bad(String why) {
        return new ActionRefusedException(HttpStatus.BAD_REQUEST_400, why);
    }
}
