@org.jspecify.annotations.NullMarked
package dev.perigee.testing;
