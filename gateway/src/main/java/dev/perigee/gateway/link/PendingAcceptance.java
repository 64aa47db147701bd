package dev.perigee.gateway.link;

import dev.perigee.protocol.link.ToolOrder;

/** Pending acceptance of a sent request by its worker. */
@FunctionalInterface
public interface PendingAcceptance {
    /**
     * What the worker said; to be asked once. Does not wait: what has not ended is not waited for
     * any longer.
     *
     * @throws LinkException when the worker gave no answer; {@link LinkException.Reason#DEADLINE}
     *     when it has not ended
     */
    ToolOrder.Accepted take() throws LinkException;
}
