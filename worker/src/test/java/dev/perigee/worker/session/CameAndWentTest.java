package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.topic.RecordOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a worker keeps of servers that were called and uninstalled. */
final class CameAndWentTest {
    private static final Logger log = LoggerFactory.getLogger(CameAndWentTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int WARM_UP = 300;
    private static final int COUNT = 1_000;
    private static final int TOGETHER = 50;
    private static final int MOST_BYTES = 1 << 10;

    /** The window of ids, and a fifth more, and a look. */
    private static final Duration REMEMBERED = Duration.ofSeconds(3);

    /** Of pools that are larger than before. */
    private static final int SLACK = 8;

    /** Answered requests are to be remembered for a window, which is over before it is measured. */
    private final WholeWorker worker =
            new WholeWorker(
                    Map.of("process.parallel-starts", "16", "requests.repeat-window", "1s"));

    private long offset;

    CameAndWentTest() throws Exception {}

    /** What this process holds. */
    private record Held(long heap, int descriptors, int threads) {
        static Held now() {
            System.gc();
            System.gc();
            var runtime = Runtime.getRuntime();
            return new Held(
                    runtime.totalMemory() - runtime.freeMemory(),
                    entries("/proc/self/fd"),
                    entries("/proc/self/task"));
        }

        private static int entries(String directory) {
            try (var entries = Files.list(Path.of(directory))) {
                return (int) entries.count();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    @DisplayName(
            "OWN-23: 1,000 servers that came, were called and went cost a worker less than 1 KiB"
                    + " each, no descriptor and no thread")
    void keepsLittle() throws Exception {
        try (worker) {
            comeAndGo(0, WARM_UP);
            await().pollDelay(REMEMBERED).until(() -> true);
            var before = Held.now();

            comeAndGo(WARM_UP, COUNT);

            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> {
                                var after = Held.now();
                                long each = (after.heap() - before.heap()) / COUNT;
                                log.atInfo()
                                        .addKeyValue("heap_bytes_each", each)
                                        .addKeyValue("before", before)
                                        .addKeyValue("after", after)
                                        .log("{} servers came and went", COUNT);
                                assertThat(each).isLessThan(MOST_BYTES);
                                assertThat(after.descriptors() - before.descriptors())
                                        .isLessThan(SLACK);
                                assertThat(after.threads() - before.threads()).isLessThan(SLACK);
                            });
        }
    }

    private void comeAndGo(int from, int count) throws Exception {
        for (int begin = from; begin < from + count; begin += TOGETHER) {
            var servers =
                    IntStream.range(begin, begin + TOGETHER)
                            .mapToObj(i -> server("came-" + i))
                            .toList();
            for (var server : servers) {
                worker.gateway.send(LinkMethod.APPLY, WholeWorker.apply(server, ++offset, offset));
            }
            awaitOutcomes();
            hearAll(servers, EventType.TOOLS_DISCOVERED);
            for (var server : servers) {
                assertThat(worker.call(server, "pid", ++offset).answered()).isNull();
            }
            hearAll(servers, EventType.TOOL_RESULT);
            for (var server : servers) {
                worker.gateway.send(LinkMethod.REMOVE, removal(server));
            }
            awaitOutcomes();
            hearAll(servers, EventType.REMOVED);
            for (var topic : List.of(Orders.COMMANDS, Orders.REQUESTS)) {
                worker.gateway.tell(
                        LinkMethod.COMMITTED,
                        new SessionNotice.Committed(Orders.PARTITION, topic, offset + 1));
            }
            worker.heard.clear();
        }
    }

    private void awaitOutcomes() throws InterruptedException {
        for (int order = 0; order < TOGETHER; order++) {
            worker.gateway.result(InstanceOrder.Outcome.class);
        }
    }

    private void hearAll(List<ServerConfig> servers, EventType type) throws InterruptedException {
        for (var server : servers) {
            worker.hearUntil(() -> !worker.all(server, type).isEmpty());
        }
    }

    private InstanceOrder.Simple removal(ServerConfig server) {
        offset++;
        return new InstanceOrder.Simple(
                Orders.PARTITION,
                new RecordOrigin(Orders.COMMANDS, Orders.PARTITION, offset),
                "cmd-" + offset,
                server.processId(),
                offset,
                null);
    }

    private static ServerConfig server(String id) {
        var script = Objects.requireNonNull(CameAndWentTest.class.getResource("/small.sh"));
        return WholeWorker.stdio(id, "sh", script.getPath());
    }
}
