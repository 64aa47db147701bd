/**
 * Runs parts: one in the foreground of this JVM, or a whole fleet as child JVMs with an order of
 * start and stop. Knows nothing of what a part does, only how it says that it is ready and how it
 * is asked to stop.
 */
@NullMarked
package dev.perigee.local.fleet;

import org.jspecify.annotations.NullMarked;
