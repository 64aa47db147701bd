/** MCP's official conformance suite against a fleet that is driven through topics. */
@NullMarked
package dev.perigee.testing.conformance;

import org.jspecify.annotations.NullMarked;
