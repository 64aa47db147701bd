package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody.DiscoveredTool;
import dev.perigee.protocol.event.EventBody.Respawned;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is taken to be known of a dormant server's tools where it may have others. The server has
 * one tool, which is named by a file, as is what goes wrong next.
 */
@DisplayName("A dormant server that another worker takes over")
final class SleepHandoverTest {
    private static final String SERVER =
            """
            cd "$1" || exit 1
            say() { printf '{"jsonrpc":"2.0",%s}\\n' "$1"; }
            while IFS= read -r line; do
              id=${line#*\\"id\\":}
              id=${id%%[,\\}]*}
              mode=$(cat mode)
              case $line in
                *'"initialize"'*) say "\\"id\\":$id,\\"result\\":{\\"protocolVersion\\":\\"2025-11-25\\",\\"capabilities\\":{\\"tools\\":{\\"listChanged\\":true}},\\"serverInfo\\":{\\"name\\":\\"s\\",\\"version\\":\\"1\\"}}" ;;
                *'"tools/list"'*)
                  case $mode in
                    ends-listing) exit 0 ;;
                    fails-listing | ends) say "\\"id\\":$id,\\"error\\":{\\"code\\":-32000,\\"message\\":\\"no list\\"}" ;;
                    *) say "\\"id\\":$id,\\"result\\":{\\"tools\\":[{\\"name\\":\\"$(cat tool)\\",\\"inputSchema\\":{\\"type\\":\\"object\\"}}]}" ;;
                  esac ;;
                *'"tools/call"'*)
                  if [ "$mode" = ends ]; then exit 0; fi
                  say "\\"id\\":$id,\\"result\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"done\\"}]}"
                  case $mode in
                    *listing) say '"method":"notifications/tools/list_changed"' ;;
                  esac ;;
              esac
            done
            """;

    private static final Map<String, String> NEVER_IDLE = Map.of("idle.timeout", "0");

    @TempDir private Path folder;
    private final InstanceBench bench = new InstanceBench(NEVER_IDLE);
    private ServerConfig config;

    @BeforeEach
    void install() throws IOException {
        var script = Files.writeString(folder.resolve("server.sh"), SERVER);
        config =
                InstanceBench.program(
                        "a",
                        TransportType.STDIO,
                        "sh",
                        List.of(script.toString(), folder.toString()),
                        Map.of(),
                        null);
        write("tool", "look");
        write("mode", "works");
        bench.configure(config);
        assertThat(bench.snapshot(config).status()).isEqualTo(ONLINE);
    }

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("is listed as it was, and lists its tools once a call starts it there")
    void listsItsToolsAgain() throws IOException {
        sleep("ends");
        assertThat(durable().asleep()).isNotNull();
        write("mode", "works");
        write("tool", "search");

        try (var next = new InstanceBench(NEVER_IDLE)) {
            takeOver(next);
            assertThat(next.snapshot(config).dormant()).isTrue();
            assertThat(tools(next)).containsExactly("look");

            assertThat(next.text(config, "search", Map.of())).isEqualTo("done");

            assertThat(tools(next)).containsExactly("search");
            var journal = next.journal(config);
            assertThat(journal.all(Respawned.class)).hasSize(1);
            assertThat(journal.all(ToolsDiscovered.class)).hasSize(1);
            assertThat(journal.statuses()).isEmpty();
        }
    }

    @Test
    @DisplayName("is started there where it ended before it listed what it had announced")
    void startsWhatEndedWhileListing() throws IOException {
        write("mode", "ends-listing");
        assertThat(bench.text(config, "look", Map.of())).isEqualTo("done");
        awaitDormant();

        assertThat(durable().asleep()).isNull();
        assertStarted();
    }

    @Test
    @DisplayName("is started there where it was not online when it ended")
    void startsWhatWasInError() throws IOException {
        write("mode", "fails-listing");
        assertThat(bench.text(config, "look", Map.of())).isEqualTo("done");
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> bench.snapshot(config).status() == ERROR);
        sleep("ends");

        assertThat(durable().asleep()).isNull();
        assertStarted();
    }

    private void assertStarted() throws IOException {
        write("mode", "works");
        try (var next = new InstanceBench(NEVER_IDLE)) {
            takeOver(next);
            assertThat(next.snapshot(config).dormant()).isFalse();
            assertThat(next.journal(config).statuses())
                    .containsExactly(CONNECTING, DISCOVERING_TOOLS, ONLINE);
        }
    }

    /** Has the process end by itself, in order. */
    private void sleep(String mode) throws IOException {
        write("mode", mode);
        var _ = bench.call(config, "look", Map.of());
        awaitDormant();
    }

    private void awaitDormant() {
        await().atMost(InstanceBench.PATIENCE).until(() -> bench.snapshot(config).dormant());
    }

    private void takeOver(InstanceBench next) {
        var durable = bench.journal(config).durable;
        next.settle(next.submit(config, Cause.RESTORED, false, durable));
    }

    private DurableState durable() {
        return DurableState.read(bench.journal(config).durable);
    }

    private List<String> tools(InstanceBench of) {
        return of.snapshot(config).tools().stream().map(DiscoveredTool::toolName).toList();
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }
}
