/**
 * JSON as it crosses a boundary: one mapper, strict about types, and values passed through byte for
 * byte.
 */
@NullMarked
package dev.perigee.protocol.json;

import org.jspecify.annotations.NullMarked;
