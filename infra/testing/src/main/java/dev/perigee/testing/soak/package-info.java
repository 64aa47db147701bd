/**
 * A fleet under load while a nemesis goes over it. {@link dev.perigee.testing.soak.Schedule} draws
 * what happens when, from a seed; {@link dev.perigee.testing.soak.NemesisRun} does it, and {@link
 * dev.perigee.testing.history.History} judges. {@link dev.perigee.testing.soak.NemesisCommand} is
 * the same for operators.
 */
@NullMarked
package dev.perigee.testing.soak;

import org.jspecify.annotations.NullMarked;
