package dev.perigee.worker.mcp;

/**
 * The two ways of speaking MCP. Which one a server speaks is a property of its program, not of a
 * request.
 */
public enum Era {
    /** A session that {@code initialize} opens: revisions until 2025-11-25. */
    LEGACY,
    /** Each request says revision and client by itself: revisions from 2026-07-28 on. */
    MODERN
}
