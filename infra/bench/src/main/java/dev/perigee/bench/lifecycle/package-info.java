/** Starts and faults: how long an instance takes to come, and how long calls wait meanwhile. */
@NullMarked
package dev.perigee.bench.lifecycle;

import org.jspecify.annotations.NullMarked;
