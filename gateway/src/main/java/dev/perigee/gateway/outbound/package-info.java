/**
 * To Kafka: two producers and the shape of every record that leaves. What a stale owner must not
 * overwrite goes through {@link dev.perigee.gateway.outbound.TransactionalPublisher}, everything on
 * the call path through {@link dev.perigee.gateway.outbound.FastPublisher}. Knows no partition
 * owner: it tells those who asked what became of their records.
 */
@NullMarked
package dev.perigee.gateway.outbound;

import org.jspecify.annotations.NullMarked;
