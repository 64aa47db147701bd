package dev.perigee.testing.fleet;

import dev.perigee.faults.FaultProxy;

/**
 * The network between a gateway and a part that it connects to.
 *
 * @param gateway such as {@code gateway-1}
 * @param other a worker or a broker
 */
public record Line(String gateway, String other, FaultProxy proxy) {}
