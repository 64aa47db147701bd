/** What the boundary around a server costs: its start, its memory and its calls. */
@NullMarked
package dev.perigee.bench.boundary;

import org.jspecify.annotations.NullMarked;
