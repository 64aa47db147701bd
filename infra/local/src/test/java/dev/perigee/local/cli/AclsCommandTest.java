package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.client.AccessRole;
import dev.perigee.part.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What it grants is tried in {@link SecuredKafkaTest}. */
final class AclsCommandTest {

    @Test
    void printsCommands() {
        var run =
                CliRun.of(
                        "acls",
                        "backend",
                        "--principal",
                        "User:shop",
                        "--group",
                        "shop-",
                        "--replies",
                        "shop.*",
                        "--bootstrap",
                        "kafka:9092");

        assertThat(run.exitCode()).as(run.err()).isZero();
        var grant = "kafka-acls --bootstrap-server kafka:9092 --add --allow-principal User:shop";
        assertThat(run.out().lines())
                .containsExactly(
                        grant + " --operation Write --topic mcp.commands --topic mcp.tool-requests",
                        grant
                                + " --operation Read --topic mcp.tool-results"
                                + " --topic mcp.command-results --topic mcp.status"
                                + " --topic mcp.lifecycle --topic mcp.logs"
                                + " --topic mcp.request-logs --topic mcp.call-events"
                                + " --topic mcp.server-events"
                                + " --topic mcp.tools --topic mcp.catalog --topic mcp.usage",
                        grant + " --operation Read --resource-pattern-type prefixed --topic shop.",
                        grant + " --operation Read --resource-pattern-type prefixed --group shop-");
    }

    @Test
    void followsPrefixAndGroup() {
        var run = CliRun.of("acls", "gateway", "--prefix", "eu.", "--output", "json");

        assertThat(run.out())
                .contains("\"principal\":\"User:gateway\"", "\"eu.gateway\"", "\"eu.gateway-\"")
                .contains("\"DescribeConfigs\"")
                .doesNotContain("mcp.");
    }

    @Test
    void wantsAWholePrincipal() {
        var run = CliRun.of("acls", "gateway", "--principal", "shop");

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("User:shop");
    }

    @Test
    void isWhatTheDocumentationShows() throws Exception {
        var page = Files.readString(Path.of("../../docs/security.md"));
        for (var role : AccessRole.values()) {
            var run = CliRun.of("acls", role.toString(), "--bootstrap", "kafka:9092");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(page).contains(run.out());
        }
    }
}
