package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One page of a server's {@code tools/list}; only what Perigee uses. */
record ToolsPage(
        @Nullable List<Entry> tools, @JsonProperty("nextCursor") @Nullable String nextCursor) {

    record Entry(
            @Nullable String name,
            @Nullable String description,
            @JsonProperty("inputSchema") @Nullable RawJson inputSchema,
            @Nullable Hints annotations,
            @Nullable RawJson execution) {}

    record Hints(
            @JsonProperty("readOnlyHint") @Nullable Boolean readOnlyHint,
            @JsonProperty("idempotentHint") @Nullable Boolean idempotentHint) {}
}
