/**
 * Corpora of what released versions wrote, for the tests of all modules: every version after them
 * reads it. Knows nothing of Perigee; only tests depend on it.
 */
@NullMarked
package dev.perigee.corpus;

import org.jspecify.annotations.NullMarked;
