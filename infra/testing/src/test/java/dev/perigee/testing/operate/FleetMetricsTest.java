package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Part;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A fleet with calls, errors and a crash behind it. */
@DisplayName("What a running fleet exports")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FleetMetricsTest {
    /** Given by Prometheus or by alerts themselves. */
    private static final Set<String> OF_SCRAPING = Set.of("fleet", "job", "instance", "le");

    private static final String LAG = "kafka_consumer_fetch_manager_records_lag";

    private FleetUnderTest fleet;
    private Scrape gateway;
    private Scrape worker;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("metrics").worker("heartbeat.interval", "1s").start();
        var backend = fleet.backend();
        var f = backend.install(Installation.fixture());
        backend.text(f, "echo", "{\"message\":\"hi\"}");
        backend.call(f, "no-such-tool", "{}");
        backend.call(f, "crash", "{\"code\":1}");
        fleet.records().lifecycle(f, "crashed");
        backend.send(Topic.COMMANDS, f.key(), "no json".getBytes(StandardCharsets.UTF_8));
        await().atMost(Duration.ofSeconds(30)).until(this::isSettled);
        await().atMost(Duration.ofSeconds(30)).until(() -> has(LAG));
        // This one, since the next may be between two processes.
        worker =
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> scrape("worker-1"), FleetMetricsTest::isMeasured);
        gateway = scrape("gateway-1");
    }

    private boolean isSettled() throws IOException {
        var now = scrape("gateway-1");
        return now.sum("perigee_gateway_dead_letters_total", Map.of("reason", "malformed")) == 1
                && now.sum("perigee_gateway_records_open", Map.of()) == 0;
    }

    /** What servers take is measured at the pace of heartbeats. */
    private static boolean isMeasured(Scrape now) {
        return now.sum("perigee_worker_servers_memory_bytes", Map.of()) >= 1e6
                && now.sum("perigee_worker_servers_processes", Map.of()) > 0
                && now.sum("perigee_worker_servers_cpu_seconds_total", Map.of()) > 0;
    }

    private boolean has(String name) throws IOException {
        return scrape("gateway-1").samples().stream().anyMatch(it -> it.name().equals(name));
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    private Scrape scrape(String part) throws IOException {
        var page = URI.create(fleet.part(part).field("admin")).resolve("/metrics").toURL();
        try (var body = page.openStream()) {
            return Scrape.of(new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("is what the reference page says")
    void isInTheReference() throws IOException {
        var page = MetricsPage.of(gateway, worker);
        Files.writeString(Path.of("target/metrics.md"), page);

        assertThat(Checkout.root().resolve("docs/reference/metrics.md"))
                .as("stale: cp infra/testing/target/metrics.md docs/reference/metrics.md")
                .hasContent(page);
    }

    @Test
    @DisplayName("counts what happened")
    void counts() {
        assertThat(worker.sum("perigee_worker_crashes_total", Map.of("signal", "none")))
                .isEqualTo(1);
        assertThat(worker.sum("perigee_worker_calls_total", Map.of("code", "crashed")))
                .isEqualTo(1);
        assertThat(worker.sum("perigee_worker_ready", Map.of())).isEqualTo(1);
        assertThat(worker.sum("perigee_worker_phase", Map.of("phase", "serving"))).isEqualTo(1);
        assertThat(worker.sum("perigee_worker_requests_limit", Map.of())).isEqualTo(1024);
        assertThat(worker.sum("perigee_worker_host_memory_available_bytes", Map.of()))
                .isBetween(1.0, worker.sum("perigee_worker_host_memory_limit_bytes", Map.of()));
        assertThat(worker.sum("perigee_worker_servers_processes", Map.of())).isPositive();
        assertThat(worker.sum("perigee_worker_servers_memory_bytes", Map.of()))
                .isBetween(1e6, worker.sum("perigee_worker_host_memory_limit_bytes", Map.of()));
        assertThat(gateway.sum("perigee_gateway_ready", Map.of())).isEqualTo(1);
        assertThat(gateway.sum("perigee_gateway_broker_away_seconds", Map.of())).isZero();
        assertThat(gateway.sum("perigee_gateway_records_open", Map.of())).isZero();
        assertThat(gateway.sum("perigee_gateway_call_queued_seconds_count", Map.of())).isEqualTo(3);
    }

    @Test
    @DisplayName("has each topic's lag once, under the topic's name")
    void tellsTheLagOnce() {
        assertThat(gateway.samples())
                .filteredOn(it -> it.name().equals(LAG))
                .isNotEmpty()
                .allMatch(it -> it.labels().getOrDefault("topic", "").startsWith("mcp."));
    }

    @Test
    @DisplayName("has every metric and label that a panel or an alert is about")
    void hasWhatIsAskedFor() {
        var all = gateway.and(worker);
        var queries = new ArrayList<>(MonitoringRules.ofPanels());
        queries.addAll(MonitoringRules.ofAlerts());
        for (var query : queries) {
            var read = PromQuery.of(query.expression());
            assertThat(read.selectors()).as(query.where()).isNotEmpty();
            var labels = new ArrayList<>(OF_SCRAPING);
            for (var selector : read.selectors()) {
                labels.addAll(requireMetric(all, query, selector));
            }
            assertThat(labels).as(query.where()).containsAll(read.grouped());
        }
    }

    private static Set<String> requireMetric(
            Scrape all, MonitoringRules.Query query, PromQuery.Selector selector) {
        if (selector.metric().equals("up")) {
            return Set.of();
        }
        var series =
                all.samples().stream().filter(it -> it.name().equals(selector.metric())).toList();
        assertThat(series).as("%s: %s", query.where(), selector.metric()).isNotEmpty();
        for (var matcher : selector.matchers()) {
            var label = matcher.label();
            if (OF_SCRAPING.contains(label)) {
                continue;
            }
            assertThat(series)
                    .as("%s: %s", query.where(), matcher)
                    .allMatch(it -> it.labels().containsKey(label));
            for (var value : alternatives(matcher)) {
                assertThat(series)
                        .as("%s: %s", query.where(), matcher)
                        .anyMatch(it -> it.labels().getOrDefault(label, "").matches(value));
            }
        }
        return series.getFirst().labels().keySet();
    }

    /** Each of what a matcher names must be there; an alternative of one letter is no typo. */
    private static List<String> alternatives(PromQuery.Matcher matcher) {
        var value = matcher.value();
        int bracket = value.indexOf('(');
        if (!matcher.operator().startsWith("=") && !matcher.operator().startsWith("!")) {
            throw new AssertionError(matcher);
        }
        if (bracket < 0) {
            return List.of(value.split("\\|"));
        }
        var before = value.substring(0, bracket);
        var inside = value.substring(bracket + 1, value.indexOf(')'));
        return List.of(inside.split("\\|")).stream().map(before::concat).toList();
    }

    @Test
    @NeedsProgram(Program.PROMETHEUS)
    @DisplayName("gives a real Prometheus something to show in every panel, and rules to evaluate")
    void isWhatPrometheusShows(@TempDir Path directory) throws Exception {
        try (var prometheus =
                RealPrometheus.start(
                        directory,
                        Map.of(
                                "perigee-gateway", admin(fleet.part("gateway-1")),
                                "perigee-worker", admin(fleet.part("worker-1"))))) {
            for (var query : MonitoringRules.ofPanels()) {
                await(query.where())
                        .atMost(Duration.ofSeconds(60))
                        .ignoreExceptionsInstanceOf(IOException.class)
                        .untilAsserted(
                                () ->
                                        assertThat(prometheus.query(query.expression()))
                                                .as(query.where())
                                                .isNotEmpty());
            }
            await("rules")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () ->
                                    assertThat(prometheus.rulesByHealth())
                                            .isEqualTo(
                                                    Map.of("ok", MonitoringRules.alerts().size())));
            await("parts are up") // One slow scrape makes the alert pending.
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () ->
                                    assertThat(
                                                    prometheus.query(
                                                            "ALERTS{alertname=\"PerigeePartDown\"}"))
                                            .isEmpty());
        }
    }

    private static String admin(Part part) {
        return URI.create(part.field("admin")).getAuthority();
    }
}
