package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Parameters of {@code notifications/cancelled}. */
record Cancelled(@JsonProperty("requestId") long requestId, String reason) {}
