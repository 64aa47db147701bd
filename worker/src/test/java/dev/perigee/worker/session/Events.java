package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;

/** Events to append where it does not matter which. */
final class Events {
    private Events() {}

    static EventBody status() {
        return new EventBody.StatusChanged(ServerStatus.ONLINE, null, null, null);
    }
}
