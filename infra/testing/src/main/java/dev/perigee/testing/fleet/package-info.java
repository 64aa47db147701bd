/**
 * A whole fleet on this machine, as a backend and an operator meet it: a real broker, gateways and
 * workers as JVMs of their own, records, signals and processes. Suites use {@link
 * dev.perigee.testing.fleet.FleetUnderTest}; nothing here knows the inside of a part.
 */
@NullMarked
package dev.perigee.testing.fleet;

import org.jspecify.annotations.NullMarked;
