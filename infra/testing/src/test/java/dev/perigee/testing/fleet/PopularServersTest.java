package dev.perigee.testing.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.NpmRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Servers that many people use, in the boundary that a worker has unless it is told otherwise. A
 * server is online when it has answered {@code initialize} and {@code tools/list}.
 */
@DisplayName("TEN-12: in the jails of production")
@NeedsProgram(Program.BUBBLEWRAP)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PopularServersTest {
    private static final Duration PATIENCE = Duration.ofMinutes(6);
    private static final List<String> PREPARED = List.of("-y");
    private static final List<String> AS_WRITTEN = List.of();

    /**
     * Of what npm takes to install it, its own limit of 512 MiB is too little; docs/runbooks.md.
     */
    private static final String LARGE = "mcp-server-kubernetes@";

    @TempDir private static Path folder;
    private final NpmRegistry registry = NpmRegistry.start();
    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws Exception {
        var cafile = npm("cafile");
        var npmrc = "registry=" + npm("registry") + (cafile.isEmpty() ? "" : "\ncafile=" + cafile);
        fleet =
                FleetUnderTest.named("popular")
                        .worker("worker.mode", "production")
                        .worker("isolation.mode", "bubblewrap")
                        .worker("isolation.pass-environment", "FLEET_UNDER_TEST,CI_RUN_MARK")
                        .worker("worker.cache-directory", folder.resolve("cache").toString())
                        .worker("egress.allow", URI.create(registry.url()).getAuthority())
                        .worker(
                                "packages.npmrc",
                                Files.writeString(folder.resolve("npmrc"), npmrc).toString())
                        .start();
    }

    @AfterAll
    void stop() {
        if (fleet != null) {
            fleet.close();
        }
        registry.close();
    }

    /** As this machine's user has configured npm, who downloads the tests' other packages. */
    private static String npm(String key) throws IOException, InterruptedException {
        var process = new ProcessBuilder("npm", "config", "get", key).start();
        process.getOutputStream().close();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("npm does not say its " + key);
        }
        var value = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        return value.equals("null") ? "" : value;
    }

    @Test
    @DisplayName("the reference server is prepared, answers and is called")
    void reference() {
        var server =
                npx("-y", "@modelcontextprotocol/server-everything")
                        .withEnv("npm_config_registry", registry.url());

        assertThat(tools(server)).isPositive();
        assertThat(fleet.backend().text(server, "echo", "{\"message\":\"hi\"}"))
                .isEqualTo("Echo: hi");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "@modelcontextprotocol/server-everything@2026.8.31,",
        "@modelcontextprotocol/server-filesystem@2026.8.31,",
        "@modelcontextprotocol/server-memory@2026.8.31,",
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31,",
        "@playwright/mcp@0.0.83,",
        "@upstash/context7-mcp@4.1.1,",
        "@notionhq/notion-mcp-server@2.5.2, NOTION_TOKEN",
        "mcp-server-kubernetes@4.1.7,",
        "firecrawl-mcp@3.26.0, FIRECRAWL_API_KEY",
        "tavily-mcp@0.2.22, TAVILY_API_KEY",
        "mcp-fetch-server@1.1.2,",
        "@kazuph/mcp-fetch@1.6.3,"
    })
    @DisplayName("a popular server answers, prepared and as npx runs it")
    void popular(String specification, String variable) throws Exception {
        var more = specification.contains("filesystem") ? List.of("/home/node") : List.<String>of();
        var ways =
                specification.startsWith(LARGE) ? List.of(PREPARED) : List.of(PREPARED, AS_WRITTEN);
        for (var flags : ways) {
            var server = npx(flags, specification, more);
            if (flags.equals(AS_WRITTEN)) {
                server =
                        server.withEnv("npm_config_registry", npm("registry"))
                                .withEnv("npm_config_cafile", npm("cafile"));
            }
            if (variable != null) {
                server = server.withEnv(variable, "no-such-key");
            }
            assertThat(tools(server)).as("%s %s", flags, specification).isPositive();
            fleet.backend().uninstall(server);
        }
    }

    private static Installation npx(String... words) {
        return Installation.of("popular", "npx", List.of(words));
    }

    private static Installation npx(List<String> flags, String specification, List<String> more) {
        var words = new ArrayList<>(flags);
        words.add(specification);
        words.addAll(more);
        return npx(words.toArray(String[]::new)).with("handshake_timeout_ms", PATIENCE.toMillis());
    }

    /** Installs a server and tells how many tools it has. */
    private int tools(Installation server) {
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
        return fleet.records()
                .await(
                        Topic.LIFECYCLE,
                        "started",
                        r ->
                                r.key().equals(server.processId())
                                        && r.text("event").equals("mcp.server.started"))
                .json()
                .path("tool_count")
                .asInt();
    }
}
