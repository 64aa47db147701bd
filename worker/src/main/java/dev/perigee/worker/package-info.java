@org.jspecify.annotations.NullMarked
package dev.perigee.worker;
