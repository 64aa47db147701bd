package dev.perigee.gateway.link;

/**
 * The right to own a partition.
 *
 * @param epoch offset of the claim record in the state topic: the fencing token
 */
public record PartitionClaim(int partition, long epoch) {}
