/** How the fleet is run on one machine, and the command line. The packages below do the work. */
@NullMarked
package dev.perigee.local;

import org.jspecify.annotations.NullMarked;
