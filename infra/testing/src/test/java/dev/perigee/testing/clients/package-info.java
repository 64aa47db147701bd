/**
 * The clients for other languages: their own tests, and the clients in front of a fleet that fails.
 */
@NullMarked
package dev.perigee.testing.clients;

import org.jspecify.annotations.NullMarked;
