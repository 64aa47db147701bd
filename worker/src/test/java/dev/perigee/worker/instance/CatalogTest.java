package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.LinkVersions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-10: the catalogue of an instance")
final class CatalogTest {
    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("has the server's own words, without the configured secrets")
    void hasItsWords() {
        var config = InstanceBench.server("a", Map.of("TEST_VALUE", "some secret"), "--catalog");
        bench.configure(config);

        var catalog = published(config, 1);

        assertThat(catalog.protocolVersion()).isEqualTo("2025-11-25");
        assertThat(catalog.serverInfo().text()).contains("\"version\"");
        assertThat(catalog.instructions()).isEqualTo("Use it with ***");
        assertThat(catalog.tools()).hasSize(14);
        var tool = Json.tree(catalog.tools().getFirst().bytes());
        assertThat(tool.path("title").asString("")).isEqualTo("T");
        assertThat(tool.at("/outputSchema/type").asString("")).isEqualTo("object");
        assertThat(tool.at("/annotations/destructiveHint").asBoolean(false)).isTrue();
        assertThat(tool.at("/icons/0/src").asString("")).isEqualTo("data:,");
        assertThat(tool.at("/_meta/a~1b").asInt(0)).isEqualTo(1);
        assertThat(texts(catalog.prompts())).containsExactly("{\"name\":\"p\"}");
        assertThat(catalog.resourceTemplates()).hasSize(1);
        assertThat(catalog.resources()).hasSize(1);
        assertThat(catalog.leftOut()).isEmpty();
    }

    @Test
    @DisplayName("is published again when something in it is others, and only then")
    void isPublishedWhenItChanged() {
        var config = InstanceBench.server("a", "--catalog");
        bench.configure(config);
        published(config, 1);

        redeploy(config); // Lists the same again.
        bench.call(config, "tools_set", Map.of("names", List.of("echo")));

        assertThat(published(config, 2).prompts()).hasSize(2);
    }

    @Test
    @DisplayName(
            "DEP-08: waits for a gateway that knows it, and is published by the next list then")
    void waitsForItsGateway() {
        var config = InstanceBench.server("a", "--catalog");
        bench.configure(config);
        var journal = bench.journal(config);
        published(config, 1);

        journal.protocol = LinkVersions.FIRST;
        bench.call(config, "tools_set", Map.of("names", List.of("echo", "tools_set")));
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).tools().size() == 2);
        redeploy(config);
        published(config, 1);

        journal.protocol = LinkVersions.SPOKEN.greatest();
        bench.call(config, "tools_set", Map.of("names", List.of("echo")));
        assertThat(published(config, 2).tools()).hasSize(1);
    }

    /** Until the new process was asked for all that its catalogue has. */
    private void redeploy(ServerConfig config) {
        bench.apply(config, Cause.REDEPLOYED);
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.text(config, "record", Map.of())
                                        .contains("\"resources/list\\\""));
    }

    private Catalog published(ServerConfig config, int count) {
        var journal = bench.journal(config);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> journal.all(Catalog.class).size() >= count);
        var all = journal.all(Catalog.class);
        assertThat(all).hasSize(count);
        return all.getLast();
    }

    private static List<String> texts(List<RawJson> entries) {
        return entries.stream().map(RawJson::text).toList();
    }
}
