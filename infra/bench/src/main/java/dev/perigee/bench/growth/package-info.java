/** Whether a call and an instance cost the same in a small fleet and in a large one. */
@NullMarked
package dev.perigee.bench.growth;

import org.jspecify.annotations.NullMarked;
