/**
 * What a server writes besides its protocol: lines cut from its streams, levelled, masked, limited
 * and batched into log events, and the batches of request logs. Nothing here knows processes or
 * journals; a sink takes what comes out.
 */
@NullMarked
package dev.perigee.worker.log;

import org.jspecify.annotations.NullMarked;
