/** The worker as a program: its {@code main} and its commands. */
@NullMarked
package dev.perigee.part.worker;

import org.jspecify.annotations.NullMarked;
