/**
 * What a user's MCP server is: the configuration a backend sends, and the identity derived from it.
 */
@NullMarked
package dev.perigee.protocol.config;

import org.jspecify.annotations.NullMarked;
