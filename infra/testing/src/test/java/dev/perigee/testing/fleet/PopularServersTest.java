package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.NpmRegistry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In the boundary that a worker has unless it is told otherwise. */
@DisplayName("TEN-12: in the jails of production")
@NeedsProgram(Program.BUBBLEWRAP)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PopularServersTest {
    @TempDir private static Path folder;
    private final NpmRegistry registry = NpmRegistry.start();
    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws Exception {
        var npmrc = Files.writeString(folder.resolve("npmrc"), PopularServers.npmrc());
        fleet =
                FleetUnderTest.named("popular")
                        .worker("worker.mode", "production")
                        .worker("isolation.mode", "bubblewrap")
                        .worker("isolation.pass-environment", "FLEET_UNDER_TEST,CI_RUN_MARK")
                        .worker("worker.cache-directory", folder.resolve("cache").toString())
                        .worker("egress.allow", URI.create(registry.url()).getAuthority())
                        .worker("packages.npmrc", npmrc.toString())
                        .start();
    }

    @AfterAll
    void stop() {
        if (fleet != null) {
            fleet.close();
        }
        registry.close();
    }

    @Test
    @DisplayName("the reference server is prepared, answers and is called")
    void reference() {
        var server =
                PopularServers.npx("-y", "@modelcontextprotocol/server-everything")
                        .withEnv("npm_config_registry", registry.url());

        assertThat(new PopularServers(fleet).tools(server)).isPositive();
        assertThat(fleet.backend().text(server, "echo", "{\"message\":\"hi\"}"))
                .isEqualTo("Echo: hi");
    }

    @Tag("long")
    @Test
    @DisplayName("TEN-01: the memory server of one user never shows another's entities")
    void memory() {
        var alice = PopularServers.npx("-y", PopularServers.MEMORY);
        var bob = alice.ofUser("bob");
        var servers = new PopularServers(fleet);
        assertThat(servers.tools(alice)).isPositive();
        assertThat(servers.tools(bob)).isPositive();
        var backend = fleet.backend();

        assertThat(backend.text(alice, "create_entities", entity("of-alice"))).contains("of-alice");

        assertThat(backend.text(bob, "read_graph", "{}"))
                .contains("entities")
                .doesNotContain("of-alice");
        assertThat(backend.text(bob, "create_entities", entity("of-bob"))).contains("of-bob");
        assertThat(backend.text(alice, "read_graph", "{}"))
                .contains("of-alice")
                .doesNotContain("of-bob");
        backend.uninstall(alice);
        backend.uninstall(bob);
    }

    private static String entity(String name) {
        return "{\"entities\":[{\"name\":\"%s\",\"entityType\":\"note\",\"observations\":[]}]}"
                .formatted(name);
    }

    @Tag("long")
    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.perigee.testing.fleet.PopularServers#all")
    @DisplayName("a popular server answers, prepared and as npx runs it")
    void popular(PopularServers.Popular server) throws Exception {
        new PopularServers(fleet).answers(server);
    }
}
