/**
 * A real single-node Kafka broker from Maven artifacts: in this JVM for tests, as a JVM of its own
 * for a local fleet. Kafka's internal classes are used here and nowhere else, all in {@link
 * dev.perigee.local.broker.EmbeddedBroker}; what configures them is in {@link
 * dev.perigee.local.broker.BrokerProperties}.
 */
@NullMarked
package dev.perigee.local.broker;

import org.jspecify.annotations.NullMarked;
