package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Real processes that start and never answer, and the default number of slots. */
final class FairStartsTest {
    private static final Logger log = LoggerFactory.getLogger(FairStartsTest.class);
    private static final int MUTE = 60;

    /** What a worker takes at most. */
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** Where a start waits for a processor: instance, attempt, the slots' timer, and the caller. */
    private static final int HAND_OVERS = 4;

    private static final Duration LOOK = Duration.ofMillis(1);

    @ParameterizedTest
    @CsvSource({"t2, u2", "t1, u2"})
    @DisplayName("OWN-19: 60 mute servers of one user delay another's start by less than 2 s")
    void muteServers(String team, String user) {
        try (var bench = new InstanceBench()) {
            start(bench, of("t1", "u1", "first"));
            var alone = start(bench, of(team, user, "alone"));

            IntStream.range(0, MUTE)
                    .forEach(
                            i ->
                                    bench.submit(
                                            of("t1", "u1", "mute-" + i, "sleep", List.of("600")),
                                            Cause.CREATED));
            await().until(() -> starting(bench) == MUTE);
            var over = new AtomicBoolean();
            var late =
                    CompletableFuture.supplyAsync(
                            () -> lateness(over), task -> Thread.ofPlatform().start(task));
            var among = start(bench, of(team, user, "among"));
            over.set(true);
            var pause = late.join();

            log.atInfo()
                    .addKeyValue("alone_ms", alone.toMillis())
                    .addKeyValue("among_ms", among.toMillis())
                    .addKeyValue("pause_ms", pause.toMillis())
                    .log("A start beside {} mute servers", MUTE);
            assertThat(among.minus(alone)).isLessThan(LIMIT.plus(pause.multipliedBy(HAND_OVERS)));
        }
    }

    /** By how much a thread that only sleeps was late at most, which is the machine's doing. */
    private static Duration lateness(AtomicBoolean over) {
        var longest = Duration.ZERO;
        while (!over.get()) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(LOOK.toNanos());
            var late = Duration.ofNanos(System.nanoTime() - begin).minus(LOOK);
            longest = longest.compareTo(late) < 0 ? late : longest;
        }
        return longest;
    }

    private static long starting(InstanceBench bench) {
        return bench.instances.describe().stream()
                .filter(it -> it.state() == InstanceState.STARTING)
                .count();
    }

    private static Duration start(InstanceBench bench, ServerConfig config) {
        long begin = System.nanoTime();
        var outcome = bench.configure(config);
        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static ServerConfig of(String team, String user, String id) {
        return of(team, user, id, "sh", InstanceBench.small(id).args());
    }

    private static ServerConfig of(
            String team, String user, String id, String command, List<String> arguments) {
        return new ServerConfigBuilder(
                        id,
                        "slug-" + id,
                        new Owner(team, team, user, user),
                        TransportType.STDIO,
                        command,
                        arguments)
                .build();
    }
}
