/**
 * A small backend: sends commands and tool requests, follows what comes back on the topics, creates
 * and checks topics. Everything goes through public records and plain Kafka clients; every wait has
 * a deadline. Objects here belong to one thread.
 */
@NullMarked
package dev.perigee.local.client;

import org.jspecify.annotations.NullMarked;
