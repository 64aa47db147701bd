/**
 * One end of the gateway-worker link's WebSocket, the same on both sides: bytes in, bytes out, and
 * liveness. Knows no message and no session; dialling, access and the meaning of messages are each
 * side's own.
 */
@NullMarked
package dev.perigee.link;

import org.jspecify.annotations.NullMarked;
