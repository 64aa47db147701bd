/**
 * The gateway-worker link on the wire: frames, messages, error codes. No transport code lives here.
 */
@NullMarked
package dev.perigee.protocol.link;

import org.jspecify.annotations.NullMarked;
