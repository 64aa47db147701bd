/**
 * Keeps what users brought secret in the state topic. Knows values and keys, not what they mean.
 */
@NullMarked
package dev.perigee.gateway.secret;

import org.jspecify.annotations.NullMarked;
