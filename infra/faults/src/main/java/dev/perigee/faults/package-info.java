/**
 * A network that fails to order, and certificates good and bad, for the tests of all modules. How
 * long a test waits and which programs it needs is said here, too. Knows nothing of Perigee; only
 * tests depend on it.
 */
@NullMarked
package dev.perigee.faults;

import org.jspecify.annotations.NullMarked;
