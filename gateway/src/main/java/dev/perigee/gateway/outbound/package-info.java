/**
 * To Kafka: two producers and the shape of every record that leaves. What a fenced owner must not
 * overwrite goes through {@link dev.perigee.gateway.outbound.TransactionalPublisher}, everything on
 * the call path through {@link dev.perigee.gateway.outbound.FastPublisher}. Knows no partition
 * owner: callers get the outcome of their records by callback.
 */
@NullMarked
package dev.perigee.gateway.outbound;

import org.jspecify.annotations.NullMarked;
