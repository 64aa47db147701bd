/**
 * Compares what two recordings show of a fleet's behaviour: what servers answered, what tools they
 * have, what became of commands and processes, how long calls took.
 *
 * <pre>
 *   base ──▶ Calls ──▶ Spill by id ──▶ Spill by the base's id ──▶ CallPairs ──▶ Behaviour ──▶ page, JSON
 *   new  ──▶          (ask + answer)   (base + new)
 * </pre>
 *
 * Calls pass through files, so that memory does not grow with their number. Knows no Kafka client.
 */
@NullMarked
package dev.perigee.local.behaviour;

import org.jspecify.annotations.NullMarked;
