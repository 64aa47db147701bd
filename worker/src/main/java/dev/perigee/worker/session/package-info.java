/**
 * The worker's side of the link: the server that gateways dial, the sessions by which they own
 * partitions, fencing, the journals of what the backend must learn, and the memory of what was
 * accepted. {@link dev.perigee.worker.session.SessionTransitions}, {@link
 * dev.perigee.worker.session.Journal}, {@link dev.perigee.worker.session.AcceptedRecords} and
 * {@link dev.perigee.worker.session.Credit} decide and hold no thread; the others wait, send and
 * lock. Only {@link dev.perigee.worker.session.LinkSocket} and {@link
 * dev.perigee.worker.session.LinkServer} know WebSocket.
 */
@NullMarked
package dev.perigee.worker.session;

import org.jspecify.annotations.NullMarked;
