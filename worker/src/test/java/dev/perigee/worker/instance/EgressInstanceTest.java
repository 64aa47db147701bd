package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.worker.mcp.HttpFixture;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An installation whose server the egress policy does not allow")
final class EgressInstanceTest {

    @Test
    @DisplayName("TEN-07: has the status error with the reason, and asks its server nothing")
    void isInError() throws Exception {
        try (var server = HttpFixture.start();
                var bench = new InstanceBench(Map.of("egress.allow", ""))) {
            var config = config(server, null);

            bench.configure(config);

            assertThat(bench.snapshot(config).status()).isEqualTo(ERROR);
            assertThat(bench.snapshot(config).statusMessage())
                    .contains("Egress refused to 127.0.0.1:");
            var result = bench.call(config, "echo", Map.of("message", "hi"));
            assertThat(Objects.requireNonNull(result.error()).code())
                    .isEqualTo(ErrorCode.EGRESS_REFUSED);
            assertThat(result.error().retryable()).isFalse();
            assertThat(result.attempts()).isEqualTo(1);
            assertThat(server.seen().path("requests").isEmpty()).isTrue();
        }
    }

    @Test
    @DisplayName("TEN-06: writes refused attempts into its log, one line however many they are")
    void isLogged() throws Exception {
        try (var server = HttpFixture.start();
                var bench = new InstanceBench()) {
            var config = config(server, List.of("api.example.com"));

            bench.configure(config);
            for (int i = 0; i < 5; i++) {
                bench.call(config, "echo", Map.of("message", "hi"));
            }

            var logs = bench.journal(config).all(EventBody.Logs.class);
            assertThat(logs).hasSize(1);
            var line = logs.getFirst().logs().getFirst();
            assertThat(line.level()).isEqualTo("warn");
            assertThat(line.message())
                    .startsWith("Egress refused to 127.0.0.1:")
                    .endsWith("it is not in the installation's list (config.egress)");
            assertThat(line.metadata()).containsEntry("process_id", config.processId());
            assertThat(server.seen().path("requests").isEmpty()).isTrue();
        }
    }

    @Test
    @DisplayName("TEN-06: is rejected as a process, which its list of destinations would not hold")
    void isNoProcess() {
        try (var bench = new InstanceBench()) {
            var config =
                    new ServerConfigBuilder(
                                    "p",
                                    "slug-p",
                                    new Owner("t1", "acme", InstanceBench.USER, "alice"),
                                    TransportType.STDIO,
                                    "node",
                                    List.of())
                            .egress(List.of())
                            .build();

            var outcome = bench.configure(config);

            assertThat(outcome.outcome()).isEqualTo(CommandOutcome.REJECTED);
            assertThat(Objects.requireNonNull(outcome.error()).message()).contains("config.egress");
            assertThat(bench.journals).isEmpty();
        }
    }

    @Test
    @DisplayName("a minute later the next line counts those that were not written")
    void countsTheRest() {
        var journal = new RecordingJournal();
        var now = new Instant[] {Instant.parse("2026-11-24T03:00:00Z")};
        var notices = new EgressNotices(journal, () -> now[0]);

        for (int i = 0; i < 4; i++) {
            notices.refused("p1", () -> "a.example: no");
        }
        now[0] = now[0].plus(EgressNotices.PAUSE);
        notices.refused("p1", () -> "b.example: no");

        assertThat(journal.all(EventBody.Logs.class))
                .extracting(logs -> logs.logs().getFirst().message())
                .containsExactly(
                        "Egress refused to a.example: no",
                        "Egress refused to b.example: no; 3 more attempts since the last line");
    }

    @Test
    @DisplayName("has no text made for attempts that are not written")
    void makesNoTextInVain() {
        var notices = new EgressNotices(new RecordingJournal(), InstantSource.system());
        var made = new AtomicInteger();

        for (int i = 0; i < 1000; i++) {
            notices.refused("p1", () -> "attempt " + made.incrementAndGet());
        }

        assertThat(made).hasValue(1);
    }

    private static ServerConfig config(HttpFixture server, @Nullable List<String> egress) {
        var builder =
                ServerConfigBuilder.elsewhere(
                        "h",
                        "slug-h",
                        new Owner("t1", "acme", InstanceBench.USER, "alice"),
                        TransportType.HTTP,
                        server.url());
        return egress == null ? builder.build() : builder.egress(egress).build();
    }
}
