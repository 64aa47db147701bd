/** The gateway as a program: its {@code main} and its commands. */
@NullMarked
package dev.perigee.part.gateway;

import org.jspecify.annotations.NullMarked;
