/**
 * Echoes, the ways for them to go there and back, and the load on a way: how many are under way or
 * how many are sent a second, and how long they took.
 */
@NullMarked
package dev.perigee.bench.load;

import org.jspecify.annotations.NullMarked;
