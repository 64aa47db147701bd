package dev.perigee.gateway.inbound;

/**
 * One uninterrupted ownership of a partition by this gateway. What was decided under a tenure that
 * has ended must have no effect, also when the partition came back meanwhile.
 *
 * @param number grows with each assignment within this gateway process
 */
public record Tenure(int partition, long number) {}
