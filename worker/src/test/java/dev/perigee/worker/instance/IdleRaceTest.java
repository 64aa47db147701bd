package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody.Crashed;
import dev.perigee.protocol.event.EventBody.Dormant;
import dev.perigee.protocol.event.EventBody.Respawned;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that come at the moment in which an idle process is ended. */
final class IdleRaceTest {

    /** Has something done at one reading of the time by a supervisor. */
    private static final class Tripwire implements InstantSource {
        private final AtomicInteger readings = new AtomicInteger(Integer.MIN_VALUE);
        private final AtomicReference<@Nullable Runnable> action = new AtomicReference<>();
        private volatile Duration ahead = Duration.ZERO;

        void arm(int reading, Runnable what) {
            action.set(what);
            readings.set(reading);
        }

        @Override
        public Instant instant() {
            if (Thread.currentThread().getName().startsWith("instance-slug")
                    && readings.decrementAndGet() == 0) {
                Objects.requireNonNull(action.get()).run();
            }
            return Instant.now().plus(ahead);
        }
    }

    @ParameterizedTest(name = "at reading {0}")
    @DisplayName("PRO-56: a call accepted at any step of the decision is answered, once")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void callWins(int reading) {
        var tripwire = new Tripwire();
        var settings =
                Map.of("idle.timeout", "10m", "idle.check-interval", "50ms", "idle.grace", "0s");
        try (var bench = new InstanceBench(settings, tripwire)) {
            var config = InstanceBench.small("a");
            bench.configure(config);
            long pid = Objects.requireNonNull(bench.snapshot(config).pid());
            var path = "slug-a:pid";
            var order = bench.request(config, "tools/call", path, Map.of(), Duration.ofMinutes(30));
            // Nothing but the decision has the supervisor read the time from here on.
            tripwire.arm(reading, () -> acceptAndSend(bench, config, order));
            tripwire.ahead = Duration.ofMinutes(10);

            var result = bench.result(order);

            assertThat(result.outcome()).as("%s", result.error()).isEqualTo(ToolOutcome.SUCCESS);
            var journal = bench.journal(config);
            assertThat(journal.results).hasSize(1);
            assertThat(journal.all(Crashed.class)).isEmpty();
            boolean same =
                    Objects.requireNonNull(result.result()).text().contains("\"" + pid + "\"");
            assertThat(journal.all(Respawned.class)).hasSize(same ? 0 : 1);
            assertThat(InstanceBench.alive(pid)).isEqualTo(same);
        }
    }

    /** Accepts a call and gives it the time to reach the server, if it would. */
    private static void acceptAndSend(
            InstanceBench bench, ServerConfig config, ToolOrder.Execute order) {
        long before = bench.snapshot(config).messageCount();
        assertThat(bench.instances.execute(order).answered()).isNull();
        long limit = System.nanoTime() + Duration.ofMillis(100).toNanos();
        while (bench.snapshot(config).messageCount() == before && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("PRO-56, PRO-61: of hundreds of calls around the moment none is lost or fails")
    void noCallIsLost() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var settings =
                Map.of("idle.timeout", "20ms", "idle.check-interval", "2ms", "idle.grace", "0s");
        try (var bench = new InstanceBench(settings);
                var callers = Executors.newScheduledThreadPool(4)) {
            var config = InstanceBench.small("a");
            bench.configure(config);
            var orders = new ArrayList<ToolOrder.Execute>();
            var sent = new ArrayList<Future<?>>();
            for (int i = 0; i < 400; i++) {
                var order = bench.request(config, "tools/call", "slug-a:pid", Map.of());
                orders.add(order);
                sent.add(
                        callers.schedule(
                                () ->
                                        assertThat(bench.instances.execute(order).answered())
                                                .isNull(),
                                random.nextInt(6_000),
                                TimeUnit.MILLISECONDS));
            }
            for (var one : sent) {
                one.get(30, TimeUnit.SECONDS);
            }

            var pids = new HashSet<String>();
            for (var order : orders) {
                var result = bench.result(order);
                assertThat(result.outcome())
                        .as("seed %d: %s", seed, result.error())
                        .isEqualTo(ToolOutcome.SUCCESS);
                pids.add(Objects.requireNonNull(result.result()).text());
            }
            var journal = bench.journal(config);
            await().until(() -> bench.snapshot(config).dormant());
            assertThat(journal.results).hasSize(400);
            assertThat(journal.all(Crashed.class)).isEmpty();
            assertThat(pids).hasSizeGreaterThan(3);
            // Each end for want of use is followed by one respawn, but for the last.
            assertThat(journal.all(Dormant.class)).hasSize(journal.all(Respawned.class).size() + 1);
        }
    }
}
