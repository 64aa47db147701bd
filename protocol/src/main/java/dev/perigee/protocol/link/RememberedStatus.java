package dev.perigee.protocol.link;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fields of the {@code durable} that a gateway keeps of an instance for its workers and reads
 * itself: the last reported status, and whether the instance is dormant. All else is the workers'
 * own.
 *
 * @param status the last reported status, null before the first one
 * @param statusMessage its message for people, null where it had none
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

    /**
     * Whether it sleeps, so that a worker it is given to starts nothing. That one starts what is in
     * another status, and what slept with another configuration.
     *
     * @param configHash fingerprint of the configuration it is given with
     */
    public static boolean isAsleep(@Nullable RawJson durable, String configHash) {
        var remembered = read(durable);
        if (durable == null || remembered == null || !remembered.mayStayAsleep()) {
            return false;
        }
        var asleep = Json.tree(durable.bytes()).path("asleep");
        return configHash.equals(asleep.path("config_hash").asString(""));
    }

    /** Where its worker was lost, a gateway has told that it is not online. */
    private boolean mayStayAsleep() {
        return status == ServerStatus.ONLINE || status == ServerStatus.CONNECTING;
    }

    /** The same as it was, but for the status. */
    public RawJson in(RawJson durable) {
        var changed = (ObjectNode) Json.tree(durable.bytes());
        changed.put("status", status == null ? null : status.wireName());
        changed.put("status_message", statusMessage);
        return Json.raw(changed);
    }
}
