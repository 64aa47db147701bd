/**
 * The gateway's side of the gateway-worker link: one resumable link per worker, one session per
 * partition on it. Others see {@link dev.perigee.gateway.link.WorkerLinks}, {@link
 * dev.perigee.gateway.link.PartitionLink} and what these hand out; frames, connections and recovery
 * stay inside. Knows nothing of Kafka.
 */
@NullMarked
package dev.perigee.gateway.link;

import org.jspecify.annotations.NullMarked;
