/**
 * MCP servers whose tools are those of one user's servers: on stdio for one client, and over HTTP
 * for all who have a token.
 */
@NullMarked
package dev.perigee.local.connect;

import org.jspecify.annotations.NullMarked;
