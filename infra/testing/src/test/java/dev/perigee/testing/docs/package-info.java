/** The documentation as a reader meets it: its commands are run, its links followed. */
@NullMarked
package dev.perigee.testing.docs;

import org.jspecify.annotations.NullMarked;
