/**
 * A time span of a fleet's topics as one file: compressed lines of JSON, versioned, with a checksum
 * in the end. Reading and writing hold one record at a time. Knows no Kafka client.
 */
@NullMarked
package dev.perigee.local.recording;

import org.jspecify.annotations.NullMarked;
