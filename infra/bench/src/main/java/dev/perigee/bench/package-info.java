/**
 * {@code perigee bench}: calls through a whole fleet beside the same calls over bare Kafka and over
 * a bare pipe, in one run on one machine, so that the ratios mean something where the absolutes do
 * not.
 */
@NullMarked
package dev.perigee.bench;

import org.jspecify.annotations.NullMarked;
