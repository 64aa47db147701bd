package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.Respawned;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many small servers on one worker, through all of their life; what each costs the worker. */
final class ManyInstancesTest {
    private static final Logger log = LoggerFactory.getLogger(ManyInstancesTest.class);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Beyond what the clock is put forward. */
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    private static final int COUNT = 500;

    private static final Map<String, String> SETTINGS =
            Map.of(
                    "idle.check-interval", "200ms",
                    "tool.transition-wait", "60s",
                    "process.parallel-starts", "16",
                    "limits.user.awake", "1000");

    /** A clock that can be put forward, so that nobody waits for instances to be idle. */
    private static final class Clock implements InstantSource {
        private volatile Duration ahead = Duration.ZERO;

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }
    }

    @Test
    @DisplayName("PRO-104: 500 instances start, answer, idle out, come back and stop")
    void live() throws Exception {
        var clock = new Clock();
        try (var bench = new InstanceBench(SETTINGS, clock)) {
            warmUp(bench);
            int threads = threads();
            long heap = heap();
            var configs =
                    IntStream.range(0, COUNT)
                            .mapToObj(i -> InstanceBench.small("many-" + i))
                            .toList();

            long begin = System.nanoTime();
            start(bench, configs);
            note("started", begin, threads, heap);
            callAll(bench, configs);
            note("called", begin, threads, heap);
            assertThat(threads() - threads).as("threads for all").isLessThan(20);
            assertThat((heap() - heap) / COUNT).as("heap for each").isLessThan(50_000);

            clock.ahead = Duration.ofMinutes(4);
            await().atMost(LIMIT)
                    .until(
                            () ->
                                    bench.instances.describe().stream()
                                            .allMatch(InstanceSnapshot::dormant));
            note("dormant", begin, threads, heap);
            callAll(bench, configs);
            note("respawned", begin, threads, heap);
            assertThat(configs)
                    .allSatisfy(
                            it -> {
                                assertThat(bench.journal(it).all(Respawned.class)).hasSize(1);
                                assertThat(bench.journal(it).all(Crashed.class)).isEmpty();
                            });

            var removed = new ArrayList<PendingOutcome>();
            for (var config : configs) {
                removed.add(bench.instances.remove(bench.order(config.processId())));
            }
            removed.forEach(bench::settle);
            note("stopped", begin, threads, heap);
            await().until(() -> bench.instances.describe().size() == 1);
        }
    }

    private static void warmUp(InstanceBench bench) {
        var first = InstanceBench.small("first");
        bench.configure(first);
        bench.pid(first);
    }

    private static void start(InstanceBench bench, List<ServerConfig> configs) {
        var pending = configs.stream().map(config -> bench.submit(config, Cause.CREATED)).toList();
        pending.forEach(bench::settle);
        assertThat(bench.instances.describe())
                .allMatch(it -> it.state() == InstanceState.RUNNING)
                .hasSize(configs.size() + 1);
    }

    /** All at once, and each answers for itself. */
    private static void callAll(InstanceBench bench, List<ServerConfig> configs) {
        var orders = new ArrayList<ToolOrder.Execute>();
        for (var config : configs) {
            var path = config.serverSlug() + ":pid";
            var order = bench.request(config, "tools/call", path, Map.of(), DEADLINE);
            assertThat(bench.instances.execute(order).answered()).isNull();
            orders.add(order);
        }
        var answers = new ArrayList<String>();
        for (int i = 0; i < configs.size(); i++) {
            var result = result(bench, configs.get(i), orders.get(i));
            assertThat(result.outcome()).as("%s", result.error()).isEqualTo(ToolOutcome.SUCCESS);
            answers.add(Objects.requireNonNull(result.result()).text());
        }
        assertThat(answers).doesNotHaveDuplicates();
    }

    private static ToolResult result(
            InstanceBench bench, ServerConfig config, ToolOrder.Execute order) {
        var journal = bench.journal(config);
        var id = order.request().requestId();
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> journal.result(id) != null);
        return Objects.requireNonNull(journal.result(id));
    }

    private static void note(String what, long begin, int threads, long heap) throws IOException {
        log.atInfo()
                .addKeyValue("instances", COUNT)
                .addKeyValue("after_ms", Duration.ofNanos(System.nanoTime() - begin).toMillis())
                .addKeyValue("threads_added", threads() - threads)
                .addKeyValue("heap_bytes_each", (heap() - heap) / COUNT)
                .log("Instances {}", what);
    }

    private static int threads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            return (int) tasks.count();
        }
    }

    private static long heap() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
