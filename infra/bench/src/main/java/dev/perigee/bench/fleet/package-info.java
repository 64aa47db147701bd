/** The fleet that is measured, the servers in it, and what its processes spend. */
@NullMarked
package dev.perigee.bench.fleet;

import org.jspecify.annotations.NullMarked;
