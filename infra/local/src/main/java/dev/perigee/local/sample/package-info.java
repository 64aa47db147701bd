/**
 * A small MCP server that the demonstration falls back to where npm's are not at hand, and that
 * backends test with. It stands alone: nothing else here depends on it but its command line.
 */
@NullMarked
package dev.perigee.local.sample;

import org.jspecify.annotations.NullMarked;
