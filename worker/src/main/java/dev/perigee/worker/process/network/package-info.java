/**
 * The networks of instances: each has one of its own, of which the only way out are listeners that
 * the worker serves. {@link dev.perigee.worker.process.network.InstanceNetworks} decides by the
 * egress policy what is reached, and carries the bytes.
 */
@NullMarked
package dev.perigee.worker.process.network;

import org.jspecify.annotations.NullMarked;
