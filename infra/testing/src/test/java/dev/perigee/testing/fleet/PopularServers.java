package dev.perigee.testing.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Servers of npm that many people use, in a fleet. A server is online when it has answered {@code
 * initialize} and {@code tools/list}.
 */
public record PopularServers(FleetUnderTest fleet) {
    private static final Duration PATIENCE = Duration.ofMinutes(6);
    private static final List<String> PREPARED = List.of("-y");
    private static final List<String> AS_WRITTEN = List.of();

    static final String MEMORY = "@modelcontextprotocol/server-memory@2026.8.31";

    /** What npm takes to install it is more than its own limit of 512 MiB; docs/runbooks.md. */
    private static final String LARGE = "mcp-server-kubernetes@";

    /**
     * One of them.
     *
     * @param specification of npm, with the version
     * @param variable without which it does not start; null where it needs none
     */
    public record Popular(String specification, @Nullable String variable) {
        @Override
        public String toString() {
            return specification;
        }
    }

    /** All of them. */
    public static Stream<Popular> all() {
        return Stream.of(
                new Popular("@modelcontextprotocol/server-everything@2026.8.31", null),
                new Popular("@modelcontextprotocol/server-filesystem@2026.8.31", null),
                new Popular(MEMORY, null),
                new Popular("@modelcontextprotocol/server-sequential-thinking@2026.8.31", null),
                new Popular("@playwright/mcp@0.0.83", null),
                new Popular("@upstash/context7-mcp@4.1.1", null),
                new Popular("@notionhq/notion-mcp-server@2.5.2", "NOTION_TOKEN"),
                new Popular("mcp-server-kubernetes@4.1.7", null),
                new Popular("firecrawl-mcp@3.26.0", "FIRECRAWL_API_KEY"),
                new Popular("tavily-mcp@0.2.22", "TAVILY_API_KEY"),
                new Popular("mcp-fetch-server@1.1.2", null),
                new Popular("@kazuph/mcp-fetch@1.6.3", null));
    }

    /** Has it prepared and run, then as npx runs it by itself; both times it lists tools. */
    public void answers(Popular server) throws IOException, InterruptedException {
        var specification = server.specification();
        var more = specification.contains("filesystem") ? List.of("/home/node") : List.<String>of();
        var ways =
                specification.startsWith(LARGE) ? List.of(PREPARED) : List.of(PREPARED, AS_WRITTEN);
        for (var flags : ways) {
            var installation = npx(flags, specification, more);
            if (flags.equals(AS_WRITTEN)) {
                installation =
                        installation
                                .withEnv("npm_config_registry", npm("registry"))
                                .withEnv("npm_config_cafile", npm("cafile"));
            }
            if (server.variable() != null) {
                installation = installation.withEnv(server.variable(), "no-such-key");
            }
            assertThat(tools(installation)).as("%s %s", flags, specification).isPositive();
            fleet.backend().uninstall(installation);
        }
    }

    /** A server that npx runs. */
    static Installation npx(String... words) {
        return Installation.of("popular", "npx", List.of(words));
    }

    private static Installation npx(List<String> flags, String specification, List<String> more) {
        var words = new ArrayList<>(flags);
        words.add(specification);
        words.addAll(more);
        return npx(words.toArray(String[]::new)).with("handshake_timeout_ms", PATIENCE.toMillis());
    }

    /** Installs a server and tells how many tools it has. */
    int tools(Installation server) {
        var id = fleet.backend().configure(server, "mcp_installation_created");
        var result =
                fleet.records()
                        .await(
                                Topic.COMMAND_RESULTS,
                                "result of " + server.args(),
                                1,
                                r ->
                                        r.text("command_id").equals(id)
                                                && !r.text("outcome").equals("acknowledged"),
                                PATIENCE)
                        .getFirst();
        assertThat(result.text("result/resulting_status")).as("%s", result).isEqualTo("online");
        return fleet.records().lifecycle(server, "started").json().path("tool_count").asInt();
    }

    /** The lines of a worker's npmrc, as this machine's user downloads packages. */
    public static String npmrc() throws IOException, InterruptedException {
        var cafile = npm("cafile");
        return "registry=" + npm("registry") + (cafile.isEmpty() ? "" : "\ncafile=" + cafile);
    }

    /** What this machine's user has configured of npm, empty if nothing. */
    public static String npm(String key) throws IOException, InterruptedException {
        var process = new ProcessBuilder("npm", "config", "get", key).start();
        process.getOutputStream().close();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("npm does not say its " + key);
        }
        var value = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        return value.equals("null") ? "" : value;
    }
}
