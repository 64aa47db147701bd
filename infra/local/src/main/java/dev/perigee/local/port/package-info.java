/** Ports that are picked before anything listens there. */
@NullMarked
package dev.perigee.local.port;

import org.jspecify.annotations.NullMarked;
