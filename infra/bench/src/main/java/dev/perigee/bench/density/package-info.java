/** What instances that nobody uses cost a worker, running and dormant. */
@NullMarked
package dev.perigee.bench.density;

import org.jspecify.annotations.NullMarked;
