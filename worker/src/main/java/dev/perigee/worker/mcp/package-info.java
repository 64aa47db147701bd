/**
 * Speaking MCP with one server: JSON-RPC 2.0 over a transport, requests matched with their answers,
 * the handshake, and answers to what the server itself asks. Nothing here knows tools, status or
 * restarts.
 */
@NullMarked
package dev.perigee.worker.mcp;

import org.jspecify.annotations.NullMarked;
