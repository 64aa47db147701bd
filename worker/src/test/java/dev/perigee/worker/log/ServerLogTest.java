package dev.perigee.worker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.LogRateLimitExceeded;
import dev.perigee.protocol.event.EventBody.Logs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class ServerLogTest {
    private static final ServerConfig CONFIG =
            new ServerConfigBuilder(
                            "i",
                            "s",
                            new Owner("t", "t", "u", "u"),
                            TransportType.STDIO,
                            "node",
                            List.of())
                    .env(Map.of("KEY", "very-secret"))
                    .build();

    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
    private final List<EventBody> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void end() {
        timers.shutdownNow();
    }

    private ServerLog log(Duration interval) {
        return new ServerLog(
                "p",
                new LogOptions(interval, 20, 20, 1024, 3, 1024, false),
                SecretMask.of(CONFIG)::apply,
                InstantSource.system(),
                timers,
                events::add);
    }

    private static ByteBuffer lines(int count) {
        var text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("line ").append(i).append(" very-secret\n");
        }
        return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private List<Integer> sizes() {
        return events.stream()
                .filter(Logs.class::isInstance)
                .map(event -> ((Logs) event).logs().size())
                .toList();
    }

    @Test
    @DisplayName("PRO-93, PRO-94: a batch goes out when full, or after the interval")
    void batches() {
        var log = log(Duration.ofSeconds(3));
        long begin = System.nanoTime();
        log.stderr(lines(45));
        assertThat(sizes()).containsExactly(20, 20);
        await().until(() -> sizes().size() == 3);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        assertThat(sizes()).containsExactly(20, 20, 5);
        var first = ((Logs) events.getFirst()).logs().getFirst();
        assertThat(first.message()).isEqualTo("line 0 ***");
        assertThat(first.metadata()).containsEntry("process_id", "p");
    }

    @Test
    @DisplayName("PRO-93: the interval begins with a batch's first line, whatever follows it")
    void waitsFromTheFirstLine() {
        var log = log(Duration.ofSeconds(1));
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            log.stderr(lines(1));
                            return !events.isEmpty();
                        });
        assertThat(sizes().getFirst()).as("not because the batch was full").isBetween(1, 19);
    }

    @Test
    @DisplayName("PRO-99: a flush sends what there is, also a line without an end")
    void flushes() {
        var log = log(Duration.ofHours(1));
        log.stderr(lines(2));
        log.stderr(ByteBuffer.wrap("rest".getBytes(StandardCharsets.UTF_8)));
        assertThat(events).isEmpty();
        log.flush();
        assertThat(sizes()).containsExactly(3);
        assertThat(log.lastLines()).containsExactly("line 0 ***", "line 1 ***", "rest");
        log.flush();
        assertThat(events).hasSize(1);
    }

    @Test
    @DisplayName("what a process said before its exit is sent at once, and no line cut in two")
    void cutsNoLineAtTheExit() {
        var log = log(Duration.ofHours(1));
        log.stderr(lines(2));
        log.stderr(ByteBuffer.wrap("half a ".getBytes(StandardCharsets.UTF_8)));
        log.flushLines();
        assertThat(sizes()).containsExactly(2);
        log.stderr(ByteBuffer.wrap("line".getBytes(StandardCharsets.UTF_8)));
        log.flush();
        assertThat(sizes()).containsExactly(2, 1);
        assertThat(log.lastLines()).endsWith("half a line");
    }

    @Test
    @DisplayName("PRO-100: what is dropped is counted and told, even if nothing follows")
    void countsWhatItDrops() {
        var log = log(Duration.ofMillis(200));
        log.stderr(lines(1000));
        await().untilAsserted(() -> assertThat(told() + dropped()).isEqualTo(1000));
        assertThat(told()).isLessThan(200);
    }

    private int told() {
        return sizes().stream().mapToInt(Integer::intValue).sum();
    }

    private long dropped() {
        return events.stream()
                .filter(LogRateLimitExceeded.class::isInstance)
                .mapToLong(event -> ((LogRateLimitExceeded) event).droppedLines())
                .sum();
    }
}
