package dev.perigee.gateway.partition;

import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.RememberedStatus;
import org.jspecify.annotations.Nullable;

/**
 * A status that the gateway tells, since the worker that would is out of reach: an instance that
 * was online is not once its host is given up. It is noted in what is remembered of the instance,
 * so that the next worker goes on from there, and this one is corrected when it is found alive.
 * Pure.
 *
 * @param durable what is remembered from now on
 */
record OwnStatus(StatusChanged event, RawJson durable) {
    static final String LOST = "Its worker was lost: it starts again as soon as that is safe";
    static final String FOUND = "Its worker is within reach again";

    /** The host is given up; null where the instance was not online. */
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
