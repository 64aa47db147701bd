package dev.perigee.worker.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-09: a modern server that is listened to over pipes")
final class StdioListeningTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final RawJson TAKEN = RawJson.of("{}");

    private final AtomicInteger missed = new AtomicInteger();
    private final BlockingQueue<String> toolsMissed = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> listed = new LinkedBlockingQueue<>();
    private final List<Long> cancelled = new ArrayList<>();
    private final RequestDeadlines timers = new RequestDeadlines();
    private long lastId;

    /** Whether the server answers a request at once, before and after its acknowledgement. */
    private boolean endsAtOnce;

    private final McpListener listener =
            new McpListener() {
                @Override
                public void onToolsChanged() {
                    toolsMissed.add("tools");
                }

                @Override
                public void onNoticesMissed() {
                    missed.incrementAndGet();
                }

                @Override
                public void onGarbage(Supplier<String> what) {}
            };

    private final StdioListening listening =
            new StdioListening(
                    new StdioListening.Wire() {
                        @Override
                        public McpRequest ask(
                                RawJson params, Duration timeout, LongConsumer opened) {
                            var request = new McpRequest(++lastId, (_, _, _) -> {});
                            opened.accept(request.id());
                            request.answer(TAKEN);
                            if (endsAtOnce) {
                                answered(request.id());
                            }
                            return request;
                        }

                        @Override
                        public @Nullable Long tell(RawJson params, LongConsumer opened) {
                            opened.accept(++lastId);
                            listed.add(lastId);
                            return lastId;
                        }

                        @Override
                        public void cancel(long id) {
                            cancelled.add(id);
                        }
                    },
                    listener,
                    timers);

    private void answered(long id) {
        listening.answered(id, false);
    }

    private @Nullable Long listedBy() throws InterruptedException {
        return listed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static ServerInfo server() throws McpException {
        return ServerInfo.discovered(
                RawJson.of(
                        "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}}}"));
    }

    @Test
    @DisplayName("is replaced by the next request, and its end is told once")
    void ends() throws Exception {
        assertThat(listening.replace(List.of("x://one"), PATIENCE)).isEmpty();
        assertThat(listening.replace(List.of("x://one", "x://two"), PATIENCE)).isEmpty();
        assertThat(cancelled).containsExactly(1L);
        answered(1);
        assertThat(missed).hasValue(0);

        answered(2);
        answered(2);
        assertThat(missed).hasValue(1);
    }

    @Test
    @DisplayName("that ends a request at once is noticed, and one that is given up is not")
    void endsAtOnce() throws Exception {
        endsAtOnce = true;
        listening.replace(List.of("x://one"), PATIENCE);
        assertThat(missed).hasValue(1);

        endsAtOnce = false;
        listening.replace(List.of("x://one"), PATIENCE);
        listening.replace(List.of(), PATIENCE);
        answered(2);
        assertThat(missed).hasValue(1);
        assertThat(cancelled).containsExactly(2L);
    }

    @Test
    @DisplayName("that ends what its lists are listened to by is asked again after a pause")
    void lists() throws Exception {
        listening.begin(server());
        var first = listedBy();
        assertThat(first).isEqualTo(1);
        assertThat(toolsMissed).isEmpty();

        long start = System.nanoTime();
        answered(1);
        assertThat(listedBy()).isEqualTo(2);
        assertThat(System.nanoTime() - start)
                .isGreaterThan(StdioListening.FIRST_PAUSE.toNanos() / 2);
        assertThat(toolsMissed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("tools");

        listening.answered(2, true);
        assertThat(timers.size()).as("refused: not again").isZero();
    }

    @Test
    @DisplayName("is not listened to any more when its process ended")
    void closed() throws Exception {
        listening.begin(server());
        answered(1);
        assertThat(timers.size()).isEqualTo(1);
        listening.close();
        assertThat(timers.size()).isZero();
    }
}
