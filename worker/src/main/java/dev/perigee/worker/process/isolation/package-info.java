/**
 * How servers are kept apart from each other and from the host: {@link
 * dev.perigee.worker.process.isolation.Isolation} turns a program into what is launched, and {@link
 * dev.perigee.worker.process.isolation.IsolationChoice} picks it. Knows nothing of instances, and
 * starts nothing but one jail to try it.
 */
@NullMarked
package dev.perigee.worker.process.isolation;

import org.jspecify.annotations.NullMarked;
