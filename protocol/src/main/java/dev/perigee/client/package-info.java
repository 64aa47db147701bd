/**
 * A backend's side of the contract: sends commands and tool requests, awaits what comes back, and
 * follows events. Everything goes through public records and plain Kafka clients; calls block, so
 * that they suit virtual threads, and every wait has a deadline. Needs {@code kafka-clients} on the
 * class path, in the version that the backend has anyway; gateways and workers do not use it.
 */
@NullMarked
package dev.perigee.client;

import org.jspecify.annotations.NullMarked;
