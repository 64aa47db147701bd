/**
 * Backup of a fleet's lasting state as one file, and its restoration into other topics. Format and
 * decisions know no Kafka client; reading and writing hold one record at a time.
 */
@NullMarked
package dev.perigee.local.backup;

import org.jspecify.annotations.NullMarked;
