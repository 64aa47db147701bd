package dev.perigee.gateway.inbound;

/**
 * Backpressure limits of one topic partition: how much may be open before the consumer pauses it.
 *
 * @param maxBytes of the records' values
 */
public record FeedLimits(int maxRecords, long maxBytes) {}
