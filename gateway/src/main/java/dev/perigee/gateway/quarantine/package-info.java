/**
 * Which installations start alone since workers died under them: pure decisions, without threads or
 * I/O.
 */
@NullMarked
package dev.perigee.gateway.quarantine;

import org.jspecify.annotations.NullMarked;
