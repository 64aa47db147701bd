package dev.perigee.worker.tool;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes a server's catalogue: its own words about itself and its tools, and its lists of prompts
 * and resources, for which it is asked. A list that is refused is left out, and said so. On the
 * calling thread, which waits for the server; of {@link CatalogRoom#MAX_BYTES} at most.
 */
public final class ServerCatalog {
    private static final int MAX_PAGES = 100;

    private final McpClient client;
    private final ServerInfo info;
    private final UnaryOperator<String> mask;
    private final long deadlineNanos;
    private final CatalogRoom room = new CatalogRoom();

    private record ToolPage(@Nullable List<RawJson> tools) {}

    private record Page(
            @Nullable List<RawJson> prompts,
            @Nullable List<RawJson> resources,
            @JsonProperty("resourceTemplates") @Nullable List<RawJson> resourceTemplates,
            @JsonProperty("nextCursor") @Nullable String nextCursor) {
        @Nullable List<RawJson> entries() {
            if (prompts != null) {
                return prompts;
            }
            return resources != null ? resources : resourceTemplates;
        }
    }

    private record NextPage(String cursor) {}

    /**
     * A catalogue yet to be made.
     *
     * @param mask of the configured secrets
     * @param timeout for all lists together
     */
    public ServerCatalog(
            McpClient client, ServerInfo info, UnaryOperator<String> mask, Duration timeout) {
        this.client = client;
        this.info = info;
        this.mask = mask;
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    }

    /** Whether the server is asked for anything. */
    public static boolean asks(ServerInfo info) {
        return info.offersPrompts() || info.offersResources();
    }

    /**
     * The catalogue.
     *
     * @param toolPages the answers to {@code tools/list}, in order
     * @throws McpException when the server ends
     */
    public Catalog make(List<RawJson> toolPages, Instant now)
            throws McpException, InterruptedException {
        var said = info.said();
        var serverInfo = room.take("server_info", masked(said.serverInfo()));
        var instructions = said.instructions();
        var text = instructions == null ? null : mask.apply(instructions);
        var kept = room.take("instructions", text);
        var capabilities = room.take("capabilities", masked(said.capabilities()));
        var tools = tools(toolPages);
        var prompts = listed("prompts", "prompts/list", info.offersPrompts());
        var templates =
                listed("resource_templates", "resources/templates/list", info.offersResources());
        var resources = listed("resources", "resources/list", info.offersResources());
        return new Catalog(
                info.protocolVersion(),
                serverInfo == null ? RawJson.EMPTY_OBJECT : serverInfo,
                kept,
                capabilities,
                tools,
                prompts,
                templates,
                resources,
                room.leftOut(),
                now);
    }

    private List<RawJson> tools(List<RawJson> pages) {
        var kept = new ArrayList<RawJson>();
        for (var page : pages) {
            var tools = Json.read(page, ToolPage.class).tools();
            if (tools != null && !addAll("tools", kept, tools)) {
                break;
            }
        }
        return kept;
    }

    private List<RawJson> listed(String part, String method, boolean offered)
            throws McpException, InterruptedException {
        var kept = new ArrayList<RawJson>();
        if (!offered) {
            return kept;
        }
        var cursors = new HashSet<String>();
        String cursor = null;
        try {
            do {
                var page = Json.read(ask(method, cursor), Page.class);
                var entries = page.entries();
                if (entries != null && !addAll(part, kept, entries)) {
                    return kept;
                }
                cursor = page.nextCursor();
            } while (cursor != null && cursors.add(cursor) && cursors.size() < MAX_PAGES);
        } catch (InvalidRecordException e) {
            room.failed(part, kept.size());
        } catch (McpException e) {
            if (e.isEnd()) {
                throw e;
            }
            room.failed(part, kept.size());
        }
        return kept;
    }

    private RawJson ask(String method, @Nullable String cursor)
            throws McpException, InterruptedException {
        var params = cursor == null ? RawJson.EMPTY_OBJECT : Json.raw(new NextPage(cursor));
        return client.request(method, params, Duration.ofNanos(deadlineNanos - System.nanoTime()));
    }

    @SuppressWarnings("NullAway") // An element may be null on the wire.
    private boolean addAll(String part, List<RawJson> kept, List<RawJson> entries) {
        for (var entry : entries) {
            if (entry == null || entry.bytes()[0] != '{') {
                throw InvalidRecordException.invalid("an entry of " + part + " is no object");
            }
            if (!room.add(part, kept, MaskedJson.of(entry, mask).onOneLine())) {
                return false;
            }
        }
        return true;
    }

    private @Nullable RawJson masked(@Nullable RawJson json) {
        return json == null ? null : MaskedJson.of(json, mask).onOneLine();
    }
}
