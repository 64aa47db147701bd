/**
 * A small MCP server that the demonstration falls back to where npm's are not at hand. It stands
 * alone: nothing else here depends on it but its class name.
 */
@NullMarked
package dev.perigee.local.sample;

import org.jspecify.annotations.NullMarked;
