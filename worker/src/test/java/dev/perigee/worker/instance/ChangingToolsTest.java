package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.event.EventBody.ToolsUpdated;
import dev.perigee.protocol.json.Json;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Servers that announce other tools in a loop. */
final class ChangingToolsTest {
    private static final Logger log = LoggerFactory.getLogger(ChangingToolsTest.class);
    private static final int MEGABYTE = 1 << 20;

    private final InstanceBench bench = new InstanceBench();

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("TEN-20: lists of 1 MB in a loop cost a few records, and its calls go on")
    void boundsRecords() {
        var config = InstanceBench.server("a", "--churn", "60000", Integer.toString(MEGABYTE / 3));
        var looping = Duration.ofSeconds(4);
        long begin = System.nanoTime();
        bench.configure(config);

        while (System.nanoTime() - begin < looping.toNanos()) {
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        }

        var journal = bench.journal(config);
        var records = journal.all(ToolsDiscovered.class);
        long bytes = records.stream().mapToLong(record -> Json.raw(record).size()).sum();
        log.atInfo()
                .addKeyValue("after_ms", Duration.ofNanos(System.nanoTime() - begin).toMillis())
                .addKeyValue("tools_records", records.size())
                .addKeyValue("tools_bytes", bytes)
                .log("Tools of a megabyte changed in a loop");
        assertThat(records).hasSizeBetween(1, 3);
        assertThat(bytes).isLessThan(4L * MEGABYTE);
        assertThat(journal.events)
                .as(
                        "but for the calls of this test, and notifications, which have a bound of their own")
                .filteredOn(
                        event ->
                                !(event instanceof EventBody.RequestLogs)
                                        && !(event instanceof EventBody.ListChanged))
                .hasSizeLessThan(20);
    }

    @Test
    @DisplayName("TEN-20: other words of 1 MB in each list cost a few catalogues")
    void boundsCatalogues() {
        int bytes = MEGABYTE - (64 << 10);
        var config =
                InstanceBench.server(
                        "a", "--churn", "60000", "0", "--words", Integer.toString(bytes));
        var looping = Duration.ofSeconds(4);
        long begin = System.nanoTime();
        bench.configure(config);

        while (System.nanoTime() - begin < looping.toNanos()) {
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        }

        assertThat(bench.journal(config).all(Catalog.class)).hasSizeBetween(1, 2);
    }

    @Test
    @DisplayName("what a server lists in the end is published, however often it changed before")
    void publishesTheLast() {
        var config = InstanceBench.server("a", "--churn", "4000", "10");
        bench.configure(config);
        var journal = bench.journal(config);

        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.snapshot(config).tools().stream()
                                        .map(DiscoveredTool::toolName)
                                        .toList()
                                        .contains("last"));

        assertThat(journal.all(ToolsDiscovered.class)).hasSizeBetween(2, 9);
        assertThat(journal.all(ToolsUpdated.class).getLast().added()).contains("last");
        assertThat(bench.snapshot(config).tools()).hasSize(2);
    }

    @Test
    @DisplayName("an announcement without a change is published by no record")
    void publishesNothingNew() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        var names = bench.snapshot(config).tools().stream().map(DiscoveredTool::toolName).toList();

        bench.call(config, "tools_set", Map.of("names", names));
        await().until(() -> lists(config) >= 4); // Of two pages each.

        assertThat(bench.journal(config).all(ToolsDiscovered.class)).hasSize(1);
        assertThat(bench.journal(config).all(ToolsUpdated.class)).isEmpty();
    }

    private long lists(ServerConfig config) {
        return bench.text(config, "record", Map.of()).split("tools/list", -1).length - 1L;
    }
}
