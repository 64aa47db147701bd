@NullMarked
package dev.perigee.testing.soak;

import org.jspecify.annotations.NullMarked;
