package dev.perigee.gateway.inbound;

/**
 * How much of one topic partition may be open at once; at either limit the consumer pauses it.
 *
 * @param maxBytes of the records' values
 */
public record FeedLimits(int maxRecords, long maxBytes) {}
