/** Calls: the limits and Perigee side by side, under several loads, and the ratios of both. */
@NullMarked
package dev.perigee.bench.call;

import org.jspecify.annotations.NullMarked;
