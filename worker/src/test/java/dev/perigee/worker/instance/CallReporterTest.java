package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallLog;
import dev.perigee.protocol.event.EventBody.CallProgress;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.LogLevel;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-01, CAL-03: what is told of a running call")
final class CallReporterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final CallNotices notices = new CallNotices();
    private final List<EventBody> told = new CopyOnWriteArrayList<>();
    private final AtomicInteger alive = new AtomicInteger();

    @AfterEach
    void end() {
        timers.shutdownNow();
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private CallReporter reporter(@Nullable Long token, @Nullable String level, String... accepts) {
        var request =
                new ToolRequest(
                        "r-1",
                        "t1",
                        "u1",
                        "tools/call",
                        "s:t",
                        null,
                        null,
                        null,
                        null,
                        null,
                        List.of(accepts),
                        null,
                        level,
                        null,
                        null);
        var order =
                new ToolOrder.Execute(
                        1,
                        new RecordOrigin("requests", 1, 5),
                        "p",
                        request,
                        Instant.EPOCH,
                        null,
                        null,
                        null);
        var outlet =
                new CallReporter.Outlet() {
                    @Override
                    public void event(EventBody body) {
                        told.add(body);
                    }

                    @Override
                    public void alive() {
                        alive.incrementAndGet();
                    }

                    @Override
                    public String masked(String text) {
                        return text.replace("secret", "***");
                    }
                };
        var reporter = new CallReporter(order, token, outlet, notices, timers);
        notices.add(reporter);
        return reporter;
    }

    private void progress(String params) {
        notices.progress(RawJson.of(params.replace('\'', '"')));
    }

    private void message(String params) {
        notices.message(RawJson.of(params.replace('\'', '"')));
    }

    private List<Double> progresses() {
        return told.stream().map(CallProgress.class::cast).map(CallProgress::progress).toList();
    }

    @Test
    void tellsTheFirstAtOnceAndTheNewestOfTheRest() {
        var reporter = reporter(7L, null, "progress");
        for (int i = 0; i <= 10_000; i++) {
            progress("{'progressToken':7,'progress':" + i + ",'total':10000}");
        }
        await().atMost(PATIENCE).until(() -> progresses().contains(10_000.0));
        reporter.end();

        assertThat(progresses()).first().isEqualTo(0.0);
        assertThat(progresses()).isSorted().doesNotHaveDuplicates().hasSizeLessThan(1_000);
        assertThat(alive).hasValue(10_001);
    }

    @Test
    void tellsTheNewestBeforeTheEndAndNothingAfterIt() {
        var reporter = reporter(7L, null, "progress");
        progress("{'progressToken':7,'progress':1,'message':'a secret'}");
        progress("{'progressToken':7,'progress':2}");
        reporter.end();
        progress("{'progressToken':7,'progress':3}");
        reporter.end();

        assertThat(told)
                .containsExactly(
                        new CallProgress("r-1", "s:t", 1, null, "a ***"),
                        new CallProgress("r-1", "s:t", 2, null, null));
    }

    @Test
    void ignoresWhatIsForNobodyOrNotAsMcpHasIt() {
        reporter(7L, null, "progress");
        for (var params :
                List.of(
                        "{'progressToken':8,'progress':1}",
                        "{'progressToken':'7','progress':1}",
                        "{'progressToken':7,'progress':'1'}",
                        "{'progressToken':7,'progress':1e999}",
                        "{'progressToken':7}",
                        "{'progress':1}",
                        "[]",
                        "7")) {
            progress(params);
        }

        assertThat(told).isEmpty();
    }

    @Test
    void cutsMessages() {
        reporter(7L, null, "progress");
        progress("{'progressToken':7,'progress':1,'message':'" + "x".repeat(5_000) + "'}");

        var message = ((CallProgress) told.getFirst()).message();
        assertThat(message).hasSize(CallProgress.MAX_MESSAGE_CHARACTERS).endsWith("x…");
    }

    @Test
    @DisplayName("many calls of one server together have one rate")
    void boundsTheSum() {
        long begin = System.nanoTime();
        for (long token = 1; token <= 200; token++) {
            reporter(token, null, "progress");
            progress("{'progressToken':" + token + ",'progress':1}");
        }
        int atOnce = told.size();
        var lasted = Duration.ofNanos(System.nanoTime() - begin).plusSeconds(4);

        assertThat(atOnce).isBetween(1, (int) (CallNotices.PER_SECOND * lasted.toMillis() / 1_000));
        await().atMost(PATIENCE).until(() -> told.size() == 200);
    }

    @Test
    void tellsMessagesOfTheLevelAndAbove() {
        reporter(null, "warning", "log");
        message("{'level':'info','data':'no'}");
        message("{'level':'warning','logger':'db','data':{'n': 1.50,'k':'a secret'}}");
        message("{'level':'warning','data':[1.50, 2]}");
        message("{'level':'error','data':'" + "x".repeat(CallLog.MAX_DATA_BYTES) + "'}");
        message("{'level':'alert'}");

        assertThat(told)
                .containsExactly(
                        new CallLog(
                                "r-1",
                                "s:t",
                                "warning",
                                "db",
                                RawJson.of("{\"n\":1.5,\"k\":\"a ***\"}"),
                                null),
                        new CallLog("r-1", "s:t", "warning", null, RawJson.of("[1.50, 2]"), null),
                        new CallLog(
                                "r-1",
                                "s:t",
                                "error",
                                null,
                                RawJson.of(
                                        "{\"omitted_bytes\":%d}"
                                                .formatted(CallLog.MAX_DATA_BYTES + 2)),
                                null),
                        new CallLog("r-1", "s:t", "alert", null, null, null));
    }

    @Test
    void countsMessagesThatCameTooFast() {
        reporter(null, null, "log");
        for (int i = 0; i < 5_000; i++) {
            message("{'level':'info','data':" + i + "}");
        }
        int burst = told.size();
        assertThat(burst).isLessThan(1_000);

        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> {
                            message("{'level':'info','data':'last'}");
                            return told.size() > burst;
                        });

        var counted =
                told.stream()
                        .map(CallLog.class::cast)
                        .mapToLong(log -> log.dropped() == null ? 0 : log.dropped())
                        .sum();
        assertThat(counted + told.size()).isGreaterThanOrEqualTo(5_001);
    }

    @Test
    void isAskedOnceForEachLevelBelowTheLast() {
        assertThat(notices.needsLevel(LogLevel.ERROR)).isTrue();
        assertThat(notices.needsLevel(LogLevel.ERROR)).isFalse();
        assertThat(notices.needsLevel(LogLevel.ALERT)).isFalse();
        assertThat(notices.needsLevel(LogLevel.DEBUG)).isTrue();
    }
}
