/**
 * How servers are kept apart from each other and from the host: {@link
 * dev.perigee.worker.process.isolation.Isolation} turns a program into what is launched. Knows
 * nothing of instances, and starts nothing itself.
 */
@NullMarked
package dev.perigee.worker.process.isolation;

import org.jspecify.annotations.NullMarked;
