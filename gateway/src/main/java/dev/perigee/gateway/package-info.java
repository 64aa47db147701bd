/**
 * A gateway as a whole: {@link dev.perigee.gateway.Gateway} puts the packages below together and
 * {@link dev.perigee.gateway.GatewaySettings} says how it is configured. Nothing below may look
 * here.
 */
@NullMarked
package dev.perigee.gateway;

import org.jspecify.annotations.NullMarked;
