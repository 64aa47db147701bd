package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Parameters of {@code initialize}: only what is answered is advertised. */
record Initialize(
        @JsonProperty("protocolVersion") String protocolVersion,
        @JsonProperty("capabilities") Capabilities capabilities,
        @JsonProperty("clientInfo") ClientInfo clientInfo) {

    record Capabilities(Roots roots) {}

    record Roots(@JsonProperty("listChanged") boolean listChanged) {}

    record ClientInfo(String name, String version) {}

    static Initialize of(McpOptions options) {
        return new Initialize(
                options.protocolVersion(),
                new Capabilities(new Roots(false)),
                new ClientInfo(options.clientName(), options.clientVersion()));
    }
}
