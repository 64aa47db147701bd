/** The console in a real Chromium, in front of a real fleet. */
@NullMarked
package dev.perigee.testing.console;

import org.jspecify.annotations.NullMarked;
