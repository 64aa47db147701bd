/**
 * MCP servers that answer from a recording instead of acting: one HTTP endpoint for each
 * installation of the recorded fleet.
 */
@NullMarked
package dev.perigee.local.recorded;

import org.jspecify.annotations.NullMarked;
