package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.Usage;
import dev.perigee.protocol.event.ServerStatus;
import java.time.Duration;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-07: what an instance with real processes used")
final class UsageOfInstanceTest {
    private final ServerConfig config = InstanceBench.server("a");

    private long sum(InstanceBench bench, ToLongFunction<Usage> field) {
        return bench.journal(config).all(Usage.class).stream().mapToLong(field).sum();
    }

    @Test
    @DisplayName("is said before its removal: all calls, all its processes, a crashed one too")
    void removed() {
        try (var bench = InstanceBench.metered()) {
            long began = System.nanoTime();
            bench.configure(config);
            bench.call(config, "echo", Map.of("message", "hi"));
            bench.call(config, "fail", Map.of());
            bench.call(config, "crash", Map.of("signal", "SIGKILL"));
            var journal = bench.journal(config);
            await().until(() -> !journal.all(Crashed.class).isEmpty());
            await().until(() -> bench.snapshot(config).status() == ServerStatus.ONLINE);
            bench.call(config, "big", Map.of("bytes", 5000));
            bench.settle(bench.instances.remove(bench.order(config.processId())));
            long ended = System.nanoTime();

            assertThat(journal.removed).isTrue();
            assertThat(sum(bench, Usage::calls)).isEqualTo(4);
            assertThat(sum(bench, Usage::errors)).isEqualTo(2);
            assertThat(sum(bench, Usage::responseBytes)).isBetween(5000L, 6000L);
            assertThat(sum(bench, Usage::requestBytes)).isBetween(50L, 1000L);
            assertThat(sum(bench, Usage::cpuMs)).isBetween(20L, (ended - began) / 500_000);
            assertThat(sum(bench, Usage::awakeMs)).isBetween(20L, (ended - began) / 1_000_000);
        }
    }

    @Test
    @DisplayName("is said when its worker leaves, also of one that sleeps")
    void leaves() {
        try (var bench = InstanceBench.metered()) {
            bench.configure(config);
            bench.call(config, "exit0", Map.of());
            await().until(() -> bench.snapshot(config).dormant());
            bench.instances.terminateAll(Duration.ofSeconds(10));

            assertThat(sum(bench, Usage::calls)).isOne();
            assertThat(sum(bench, Usage::cpuMs)).isPositive();
            assertThat(sum(bench, Usage::awakeMs)).isPositive();
        }
    }

    @Test
    @DisplayName("is nothing where usage is not published")
    void off() {
        try (var bench = new InstanceBench()) {
            bench.configure(config);
            bench.call(config, "echo", Map.of("message", "hi"));
            bench.instances.terminateAll(Duration.ofSeconds(10));

            assertThat(bench.journal(config).all(Usage.class)).isEmpty();
        }
    }
}
