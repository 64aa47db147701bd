/**
 * A fleet for the tests of a backend, as a JUnit extension: {@link dev.perigee.testkit.PerigeeTest}
 * for one that all test classes share, {@link dev.perigee.testkit.PerigeeFleet} for one of a class.
 */
@NullMarked
package dev.perigee.testkit;

import org.jspecify.annotations.NullMarked;
