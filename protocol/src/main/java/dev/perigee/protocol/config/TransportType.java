package dev.perigee.protocol.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Transport of a server. */
public enum TransportType {
    /** An MCP server as a process, JSON-RPC over its pipes. */
    @JsonProperty("stdio")
    STDIO,
    /** An MCP server over streamable HTTP. */
    @JsonProperty("http")
    HTTP,
    /** An MCP server over HTTP with server-sent events. */
    @JsonProperty("sse")
    SSE,
    /** A long-running program without MCP: its output becomes logs. */
    @JsonProperty("command")
    COMMAND;

    /** True when an instance is a process of ours. */
    public boolean isProcess() {
        return this == STDIO || this == COMMAND;
    }
}
