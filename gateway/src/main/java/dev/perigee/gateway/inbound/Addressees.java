package dev.perigee.gateway.inbound;

import dev.perigee.gateway.inbound.Inbound.Addressee;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import org.jspecify.annotations.Nullable;

/** Finds out whom to answer when the rest of a record cannot be used. */
final class Addressees {
    private Addressees() {}

    /** Fields that say who asks, of any type: a wrong one is as good as absent. */
    private record Ids(
            @Nullable RawJson id,
            @Nullable RawJson correlationId,
            @Nullable RawJson requestId,
            @Nullable RawJson teamId,
            @Nullable RawJson userId,
            @Nullable RawJson toolPath,
            @Nullable RawJson payload) {}

    private record Payload(@Nullable RawJson config) {}

    static Addressee ofCommand(byte[] value) {
        var ids = ids(value);
        var id = ids == null ? null : id(ids.id());
        return ids == null || id == null
                ? new Addressee.Nobody()
                : new Addressee.CommandAuthor(
                        id, text(ids.correlationId()), configures(ids.payload()));
    }

    static Addressee ofRequest(byte[] value, @Nullable ReplyTo reply) {
        var ids = ids(value);
        var id = ids == null ? null : id(ids.requestId());
        return ids == null || id == null
                ? new Addressee.Nobody()
                : new Addressee.RequestAuthor(
                        id, id(ids.teamId()), id(ids.userId()), text(ids.toolPath()), reply);
    }

    private static @Nullable Ids ids(byte[] value) {
        try {
            return Json.read(value, Ids.class);
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private static boolean configures(@Nullable RawJson payload) {
        try {
            return payload != null && Json.read(payload, Payload.class).config() != null;
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    private static @Nullable String id(@Nullable RawJson field) {
        try {
            return Require.id(text(field), "id");
        } catch (InvalidRecordException e) {
            return null;
        }
    }

    private static @Nullable String text(@Nullable RawJson field) {
        try {
            return field == null || field.size() > 6 * Require.MAX_ID_LENGTH
                    ? null
                    : Json.read(field, String.class);
        } catch (InvalidRecordException e) {
            return null;
        }
    }
}
