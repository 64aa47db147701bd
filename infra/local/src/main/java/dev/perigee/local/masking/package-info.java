/**
 * What counts as a secret in records, and what stands in its place. Knows no Kafka client and no
 * file; depends on nothing else of the command line.
 */
@NullMarked
package dev.perigee.local.masking;

import org.jspecify.annotations.NullMarked;
