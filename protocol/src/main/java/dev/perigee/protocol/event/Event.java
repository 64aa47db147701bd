package dev.perigee.protocol.event;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.Require;
import tools.jackson.databind.JsonNode;

/**
 * An event as the backend reads it: one flat object of {@code event}, the origin's and the body's
 * fields.
 *
 * @param event an {@link EventType}'s name, the same as in the header {@code ce_type}
 * @param origin what the event is about
 * @param body what happened
 */
public record Event(
        String event, @JsonUnwrapped EventOrigin origin, @JsonUnwrapped EventBody body) {

    /** An event of the body's own type. */
    public static Event of(EventOrigin origin, EventBody body) {
        return new Event(body.type().wireName(), origin, body);
    }

    /**
     * Reads an event's value.
     *
     * @throws InvalidRecordException when it is no event of a type this version knows
     */
    public static Event read(byte[] utf8) {
        JsonNode tree = Json.tree(utf8);
        String name = tree.path("event").asString("");
        EventType type = EventType.of(name);
        if (type == null) {
            throw InvalidRecordException.invalid("unknown event type");
        }
        var body = Json.convert(tree, EventBody.classOf(type));
        return new Event(
                name, Json.convert(tree, EventOrigin.class), Require.present(body, "body"));
    }
}
