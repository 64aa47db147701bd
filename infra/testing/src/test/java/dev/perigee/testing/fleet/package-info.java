/** The end-to-end suite: what each acceptance list promises, seen through the topics. */
@NullMarked
package dev.perigee.testing.fleet;

import org.jspecify.annotations.NullMarked;
