package dev.perigee.worker.tool;

import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.worker.mcp.ArgumentHeaders;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a server for its tools, page by page. */
public final class ToolDiscovery {
    private static final int MAX_PAGES = 1000;

    /** What fits into one event with room to spare, in bytes. */
    private static final long MAX_BYTES = 8L * 1024 * 1024;

    private static final RawJson ANY_OBJECT = RawJson.of("{\"type\":\"object\"}");

    private static final Logger log = LoggerFactory.getLogger(ToolDiscovery.class);

    private ToolDiscovery() {}

    private record NextPage(String cursor) {}

    /**
     * The server's tools. A server that offers none, by its capabilities or by an empty list, has
     * an empty catalogue. A tool whose schema asks for headers that there cannot be is left out.
     *
     * @param timeout for all pages together
     * @param pages is given each answer as it came
     * @throws McpException when a page is refused, missing or not as MCP says
     */
    public static ToolCatalogue discover(
            McpClient client,
            ServerInfo info,
            String serverSlug,
            Duration timeout,
            Consumer<RawJson> pages)
            throws McpException, InterruptedException {
        if (!info.offersTools()) {
            return ToolCatalogue.of(List.of());
        }
        long start = System.nanoTime();
        var tools = new ArrayList<ServerTool>();
        var cursors = new HashSet<String>();
        String cursor = null;
        long bytes = 0;
        do {
            var left = timeout.minusNanos(System.nanoTime() - start);
            var result = client.request("tools/list", params(cursor), left);
            bytes += result.size();
            if (bytes > MAX_BYTES) {
                throw McpException.invalidAnswer(
                        "the server lists tools of more than " + MAX_BYTES + " bytes");
            }
            var page = read(result);
            add(page, serverSlug, client.mirrorsArguments(), tools);
            pages.accept(result);
            cursor = page.nextCursor();
        } while (cursor != null && cursors.add(cursor) && cursors.size() < MAX_PAGES);
        return ToolCatalogue.of(tools);
    }

    private static RawJson params(@Nullable String cursor) {
        return cursor == null ? RawJson.EMPTY_OBJECT : Json.raw(new NextPage(cursor));
    }

    private static ToolsPage read(RawJson result) throws McpException {
        try {
            return Json.read(result, ToolsPage.class);
        } catch (InvalidRecordException e) {
            throw McpException.invalidAnswer(
                    "the server's answer to tools/list is invalid: " + e.getMessage());
        }
    }

    private static void add(
            ToolsPage page, String serverSlug, boolean mirrors, List<ServerTool> tools)
            throws McpException {
        if (page.tools() == null) {
            throw McpException.invalidAnswer("the server's answer to tools/list has no tools");
        }
        for (var entry : page.tools()) {
            var name = entry.name();
            if (name == null || name.isEmpty()) {
                throw McpException.invalidAnswer("the server listed a tool without a name");
            }
            var schema = entry.inputSchema() == null ? ANY_OBJECT : entry.inputSchema().onOneLine();
            try {
                var headers = mirrors ? ArgumentHeaders.in(schema) : ArgumentHeaders.NONE;
                tools.add(tool(entry, name, serverSlug, schema, headers));
            } catch (InvalidRecordException e) {
                log.atWarn()
                        .addKeyValue("tool", name)
                        .addKeyValue("reason", e.getMessage())
                        .log("Tool left out: its schema asks for headers that there cannot be");
            }
        }
    }

    private static ServerTool tool(
            ToolsPage.Entry entry,
            String name,
            String serverSlug,
            RawJson schema,
            ArgumentHeaders headers) {
        var hints = entry.annotations();
        boolean readOnly = hints != null && Boolean.TRUE.equals(hints.readOnlyHint());
        return new ServerTool(
                new DiscoveredTool(
                        ToolPath.of(serverSlug, name),
                        name,
                        entry.description(),
                        schema,
                        TokenEstimate.of(name, entry.description(), schema),
                        readOnly ? true : null),
                readOnly,
                hints != null && Boolean.TRUE.equals(hints.idempotentHint()),
                headers,
                TaskSupport.in(entry.execution()));
    }
}
