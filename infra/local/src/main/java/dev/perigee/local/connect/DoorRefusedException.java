package dev.perigee.local.connect;

import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Request that a door answers by itself, with a status of HTTP and an error of JSON-RPC. */
final class DoorRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient RawJson body;

    /**
     * A refusal.
     *
     * @param id of the request; null where it is not known
     * @param message for people, without secrets
     * @param data for programs; null for none
     */
    DoorRefusedException(
            int status, @Nullable RawJson id, long code, String message, @Nullable Object data) {
        super(message, null, false, false);
        this.status = status;
        this.body = Messages.error(id, code, message, data);
    }

    DoorRefusedException(int status, @Nullable RawJson id, long code, String message) {
        this(status, id, code, message, null);
    }

    int status() {
        return status;
    }

    RawJson body() {
        return body;
    }
}
