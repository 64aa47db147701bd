package dev.perigee.protocol.link;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a gateway understands of the {@code durable} that workers have it remember of an instance:
 * the status that was told last, and whether it sleeps. All else is the workers' own.
 */
public record RememberedStatus(@Nullable ServerStatus status, @Nullable String statusMessage) {

    /** What is remembered; null where nothing is, or nothing that is understood. */
    public static @Nullable RememberedStatus read(@Nullable RawJson durable) {
        try {
            return durable == null ? null : Json.read(durable, RememberedStatus.class);
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    /** Whether it sleeps, so that a worker it is given to starts nothing. */
    public static boolean isAsleep(@Nullable RawJson durable) {
        try {
            return durable != null && Json.tree(durable.bytes()).path("asleep").isObject();
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    /** The same as it was, but for the status. */
    public RawJson in(RawJson durable) {
        var changed = (ObjectNode) Json.tree(durable.bytes());
        changed.put("status", status == null ? null : status.wireName());
        changed.put("status_message", statusMessage);
        return Json.raw(changed);
    }
}
