package dev.perigee.worker.mcp;

/** MCP transport over HTTP. */
public enum HttpTransport {
    /** Streamable HTTP: each answer is the response to its request, or in a stream that is. */
    STREAMABLE,
    /** The older HTTP and SSE: all answers come in one stream. */
    SSE
}
