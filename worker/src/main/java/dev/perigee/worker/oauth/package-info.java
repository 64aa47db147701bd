/**
 * OAuth 2.1 as the MCP authorization specification has it, for servers over HTTP: challenges,
 * discovery, the authorization code flow with PKCE, and the token endpoint. Nothing here keeps a
 * token or decides when one is asked for.
 */
@NullMarked
package dev.perigee.worker.oauth;

import org.jspecify.annotations.NullMarked;
