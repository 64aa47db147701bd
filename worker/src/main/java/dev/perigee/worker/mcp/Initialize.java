package dev.perigee.worker.mcp;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of {@code initialize}. What a call's author may answer is announced to all servers: a
 * process does not know yet which calls it will get. What nobody answers is refused.
 */
record Initialize(
        @JsonProperty("protocolVersion") String protocolVersion,
        @JsonProperty("capabilities") Capabilities capabilities,
        @JsonProperty("clientInfo") ClientInfo clientInfo) {

    record Capabilities(
            Roots roots, @Nullable Elicitation elicitation, @Nullable RawJson sampling) {}

    record Elicitation(RawJson form, RawJson url) {
        static final Elicitation BOTH = new Elicitation(RawJson.EMPTY_OBJECT, RawJson.EMPTY_OBJECT);
    }

    record Roots(@JsonProperty("listChanged") boolean listChanged) {}

    record ClientInfo(String name, String version) {}

    static Initialize of(McpOptions options) {
        return new Initialize(
                options.protocolVersion(),
                new Capabilities(
                        new Roots(false),
                        options.asks() ? Elicitation.BOTH : null,
                        options.asks() ? RawJson.EMPTY_OBJECT : null),
                new ClientInfo(options.clientName(), options.clientVersion()));
    }
}
