/** An MCP server on stdio for one client, whose tools are those of one user's servers. */
@NullMarked
package dev.perigee.local.connect;

import org.jspecify.annotations.NullMarked;
