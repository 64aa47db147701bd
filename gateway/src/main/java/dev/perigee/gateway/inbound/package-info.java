/**
 * From Kafka: one consumer for commands and tool requests, the assignment that keeps both together,
 * the checks that turn a record into something a partition owner can act on, and the bookkeeping of
 * which offsets are done. Only {@link dev.perigee.gateway.inbound.PollLoop} owns a thread and
 * touches the consumer; it decides nothing and never waits for anybody but the broker.
 */
@NullMarked
package dev.perigee.gateway.inbound;

import org.jspecify.annotations.NullMarked;
