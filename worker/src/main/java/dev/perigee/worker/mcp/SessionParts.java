package dev.perigee.worker.mcp;

/** Parts that the sessions of one client are made of. */
record SessionParts(
        String processId,
        HttpTransport transport,
        TargetSource target,
        HttpConnections connections,
        McpOptions options) {}
