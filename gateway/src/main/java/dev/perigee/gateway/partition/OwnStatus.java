package dev.perigee.gateway.partition;

import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.RememberedStatus;
import org.jspecify.annotations.Nullable;

/**
 * Status that the gateway publishes in place of an unreachable worker: an instance that was online
 * is not, once its host is abandoned. It is part of the instance's durable state, so that the next
 * worker continues from it, and is corrected when the host is found alive. Pure.
 *
 * @param durable what is remembered from now on
 */
record OwnStatus(StatusChanged event, RawJson durable) {
    static final String LOST = "Its worker was lost: it starts again as soon as that is safe";
    static final String FOUND = "Its worker is within reach again";

    /** Status after its host was abandoned; null where the instance was not online. */
    static @Nullable OwnStatus lost(@Nullable RawJson durable) {
        var before = RememberedStatus.read(durable);
        return durable != null && before != null && before.status() == ServerStatus.ONLINE
                ? changed(durable, ServerStatus.ONLINE, ServerStatus.CONNECTING, LOST)
                : null;
    }

    /** The host says that it is online; null where no gateway had told otherwise. */
    static @Nullable OwnStatus found(@Nullable RawJson durable) {
        var before = RememberedStatus.read(durable);
        return durable != null
                        && before != null
                        && before.status() == ServerStatus.CONNECTING
                        && LOST.equals(before.statusMessage())
                ? changed(durable, ServerStatus.CONNECTING, ServerStatus.ONLINE, FOUND)
                : null;
    }

    private static OwnStatus changed(
            RawJson durable, ServerStatus from, ServerStatus to, String message) {
        return new OwnStatus(
                new StatusChanged(to, message, from, null),
                new RememberedStatus(to, message).in(durable));
    }
}
