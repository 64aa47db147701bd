/** What is made of the numbers of several rounds. Pure. */
@NullMarked
package dev.perigee.bench.stat;

import org.jspecify.annotations.NullMarked;
