/** The gateway against a real broker and workers written by hand: its guarantees, one by one. */
@NullMarked
package dev.perigee.testing.gateway;

import org.jspecify.annotations.NullMarked;
