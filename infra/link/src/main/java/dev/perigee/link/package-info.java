/**
 * One end of the gateway-worker link's WebSocket, the same on both sides: bytes in, bytes out, and
 * whether the other side lives. Knows no message and no session; who dials, who is let in and what
 * is said is each side's own.
 */
@NullMarked
package dev.perigee.link;

import org.jspecify.annotations.NullMarked;
