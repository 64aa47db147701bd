/**
 * A fleet under load while a seeded schedule of faults goes over it. {@link
 * dev.perigee.testing.soak.Schedule} decides what happens when, {@link
 * dev.perigee.testing.soak.Soak} does it; {@link dev.perigee.testing.history.History} judges.
 */
@NullMarked
package dev.perigee.testing.soak;

import org.jspecify.annotations.NullMarked;
