/**
 * Runs a whole fleet as child JVMs with an order of start and stop. Knows of a part how it is
 * configured, how it says that it is ready and how it is asked to stop, not what it does.
 */
@NullMarked
package dev.perigee.local.fleet;

import org.jspecify.annotations.NullMarked;
