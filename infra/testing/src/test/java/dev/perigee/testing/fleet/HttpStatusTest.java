package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.worker.mcp.HttpFixture;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Every test has a server H of its own; the delays between attempts are scaled by 25. */
@DisplayName("The status of a server over HTTP, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HttpStatusTest {
    private static final String ECHO = "{\"message\":\"hi\"}";
    private static final String REFUSE = "{'mode':'refuse'}";
    private static final String OK = "{'mode':'ok'}";

    /** How many statuses an installation that goes well has. */
    private static final int INSTALLED = 5;

    private FleetUnderTest fleet;
    private Backend backend;
    private Watch watch;
    private HttpFixture h;

    @BeforeAll
    void start() throws Exception {
        fleet =
                FleetUnderTest.named("http-status")
                        .worker("retry.delays", "20ms,40ms")
                        .worker("health.recovery-pause", "0") // Fifty transitions take a while.
                        .start();
        backend = fleet.backend();
        watch = new Watch(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @BeforeEach
    void startServer() throws Exception {
        h = HttpFixture.start();
    }

    @AfterEach
    void endServer() {
        h.close();
    }

    @Test
    @DisplayName("STA-24, STA-25, STA-26: says what it does before the server notices")
    void tellsWhatItDoes() throws Exception {
        h.order("{'delay':{'initialize':500,'tools/list':500}}");
        var i = backend.install(elsewhere());

        var seen = h.seen();
        assertThat(seen.path("requests").propertyNames())
                .containsExactly("initialize", "notifications/initialized", "tools/list");
        var asked = times(seen.path("at"));
        assertThat(at(i, "connecting")).isBeforeOrEqualTo(asked.getFirst());
        // The server counts from a moment before the one that it notes.
        assertThat(at(i, "discovering_tools"))
                .isAfterOrEqualTo(asked.getFirst().plusMillis(490))
                .isBeforeOrEqualTo(asked.getLast());
        assertThat(at(i, "online")).isAfterOrEqualTo(asked.getLast().plusMillis(490));
    }

    @Test
    @DisplayName("closes unused connections before the server does, or a call could meet its end")
    void closesUnusedConnections() throws Exception {
        backend.install(elsewhere());

        await().atMost(Records.PATIENCE).until(() -> h.seen().path("left").asInt() > 0);
    }

    @Test
    @DisplayName("STA-04, STA-20, STA-27, STA-28: is offline while unreachable, and comes back")
    void offline() throws Exception {
        var i = backend.install(elsewhere());
        h.order(REFUSE);
        var calls = IntStream.range(0, 3).mapToObj(n -> backend.request(i, "echo", ECHO)).toList();
        assertThat(backend.answers(calls))
                .allSatisfy(
                        answer -> {
                            assertThat(answer.text("error/code")).isEqualTo("server_unreachable");
                            assertThat(answer.json().path("attempts").asInt()).isEqualTo(3);
                        });
        assertThat(watch.next(i, INSTALLED).text("status_message")).isEqualTo("Server unreachable");
        assertThat(watch.listed(i)).isEmpty();

        h.order(OK);
        assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");

        watch.follows(i, INSTALLED, "offline", "connecting", "discovering_tools", "online");
        assertThat(watch.told(i).get(INSTALLED + 1).text("status_message"))
                .isEqualTo("Server recovered, re-discovering tools");
        assertThat(watch.listed(i)).contains("echo");
        assertThat(h.count("tools/call")).isEqualTo(1);
    }

    @Test
    @DisplayName("STA-05, STA-21, STA-27: is in error while it answers errors, and comes back")
    void error() throws Exception {
        var i = backend.install(elsewhere());
        h.order("{'mode':'status','status':500}");
        for (int call = 1; call <= 3; call++) {
            assertThat(backend.call(i, "echo", ECHO).text("outcome")).isEqualTo("failed");
            assertThat(h.count("tools/call")).as("calls that got through").isEqualTo(call);
        }

        h.order(OK);
        assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");

        watch.follows(i, INSTALLED, "error", "connecting", "discovering_tools", "online");
        assertThat(watch.told(i).get(INSTALLED).text("status_message")).contains("500");
    }

    @Test
    @DisplayName("STA-06, STA-18, STA-27, STA-31: waits for its user, and a new token leads back")
    void requiresReauth() throws Exception {
        var i = backend.install(elsewhere());
        h.order("{'token':'new','reset':true}");
        assertThat(backend.call(i, "echo", ECHO).text("error/code")).isEqualTo("requires_reauth");
        watch.follows(i, INSTALLED, "requires_reauth");
        assertThat(h.count("tools/call")).isEqualTo(1);

        h.order("{'token':null,'reset':true}");
        var blocked = backend.call(i, "echo", ECHO);
        assertThat(blocked.text("error/code")).isEqualTo("requires_reauth");
        assertThat(blocked.text("error/message"))
                .contains("re-authentication")
                .contains("Status: requires_reauth")
                .contains("Unavailable server: " + i.serverSlug());
        assertThat(blocked.json().at("/error/retryable").asBoolean(true)).isFalse();
        assertThat(h.count("tools/call")).isZero();

        h.order("{'token':'new'}");
        var authorized = i.withHeader("Authorization", "Bearer new");
        assertThat(
                        backend.result(backend.configure(authorized, "mcp_installation_updated"))
                                .text("outcome"))
                .isEqualTo("completed");
        watch.follows(i, INSTALLED, "requires_reauth", "connecting", "discovering_tools", "online");
        assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "sse"})
    @DisplayName("PRO-73: has another configuration in the next request, without a restart")
    void takesAConfigurationOver(String transport) throws Exception {
        try (var server = HttpFixture.start("--" + transport)) {
            var i = backend.install(Installation.elsewhere(transport, server.url()));
            assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");
            assertThat(server.seen().path("headers").toString()).doesNotContain("tenant-2");
            server.order("{'reset':true}");

            var other = i.withHeader("X-Tenant", "tenant-2");
            var updated = backend.result(backend.configure(other, "mcp_installation_updated"));
            assertThat(updated.text("outcome")).isEqualTo("completed");
            assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");

            var seen = server.seen();
            assertThat(seen.path("requests").has("initialize")).isFalse();
            assertThat(seen.path("headers").valueStream())
                    .isNotEmpty()
                    .allMatch(headers -> headers.path("x-tenant").asString("").equals("tenant-2"));
            assertThat(watch.statuses(i)).hasSize(INSTALLED);
            backend.uninstall(i);
        }
    }

    @Test
    @DisplayName("STA-29: however often it fails, it never fails permanently")
    void failsOften() throws Exception {
        var i = backend.install(elsewhere());
        for (var fault : List.of(REFUSE, "{'mode':'reset'}")) {
            h.order(fault);
            var calls =
                    IntStream.range(0, 10).mapToObj(n -> backend.request(i, "echo", ECHO)).toList();
            assertThat(backend.answers(calls)).allMatch(r -> r.text("outcome").equals("failed"));
        }
        h.order(OK);
        assertThat(backend.text(i, "echo", ECHO)).isEqualTo("hi");
        watch.follows(i, INSTALLED, "offline", "connecting", "discovering_tools", "online");
    }

    @Test
    @DisplayName("STA-32, STA-35: a failed connectivity check sets offline and hides the tools")
    void connectivity() throws Exception {
        var i = backend.install(elsewhere());
        var well = watch.check(i, "connectivity");
        assertThat(well.text("result/health")).isEqualTo("healthy");
        assertThat(well.json().at("/result/response_time_ms").isNumber()).isTrue();

        h.order(REFUSE);
        var ill = watch.check(i, "connectivity");

        assertThat(ill.text("outcome")).isEqualTo("completed");
        assertThat(ill.text("result/health")).isEqualTo("unhealthy");
        watch.follows(i, INSTALLED, "offline");
        assertThat(watch.listed(i)).isEmpty();
    }

    @Test
    @DisplayName(
            "STA-33, STA-34: refused credentials require their user, accepted ones say nothing")
    void credentials() throws Exception {
        var i = backend.install(elsewhere());
        assertThat(watch.check(i, "credential_validation").json().at("/result/valid").asBoolean())
                .isTrue();

        h.order("{'mode':'status','status':401}");
        var refused = watch.check(i, "credential_validation");

        assertThat(refused.json().at("/result/valid").asBoolean(true)).isFalse();
        assertThat(refused.text("result/resulting_status")).isEqualTo("requires_reauth");
        watch.follows(i, INSTALLED, "requires_reauth");
    }

    @ParameterizedTest
    @DisplayName("STA-37: that cannot be used when it is installed has the status that says why")
    @CsvSource({
        "'{''mode'':''refuse''}', offline, Server unreachable",
        "'{''mode'':''status'',''status'':500}', error, 500",
        "'{''mode'':''status'',''status'':401}', requires_reauth, Authentication failed (HTTP 401)",
        "'{''mode'':''status'',''status'':500,''only'':''tools/list''}', error, 500",
        "'{''mode'':''status'',''status'':403,''only'':''tools/list''}', requires_reauth, 403",
    })
    void installs(String order, String status, String message) throws Exception {
        h.order(order);
        var i = elsewhere();

        var result = backend.result(backend.configure(i, "mcp_installation_created"));

        assertThat(result.text("outcome")).isEqualTo("failed");
        assertThat(result.text("result/resulting_status")).isEqualTo(status);
        assertThat(backend.status(i, status).text("status_message")).contains(message);
        assertThat(watch.statuses(i)).startsWith("command_received", "connecting").endsWith(status);
    }

    /** It is started again, with a server that has it stay in the last of these statuses. */
    @ParameterizedTest
    @DisplayName("STA-08, STA-15, STA-16: its tools are shown while it is online, and kept always")
    @CsvSource({
        "'{''mode'':''silent''}', connecting",
        "'{''mode'':''silent'',''only'':''tools/list''}', connecting discovering_tools",
        "'{''mode'':''refuse''}', connecting offline",
        "'{''mode'':''status'',''status'':500}', connecting error",
        "'{''mode'':''status'',''status'':401}', connecting requires_reauth",
    })
    void hidesItsTools(String order, String statuses) throws Exception {
        var i = backend.install(elsewhere());
        assertThat(watch.listed(i)).contains("echo");
        h.order(order);
        backend.command(i, "restart", UnaryOperator.identity());
        watch.follows(i, INSTALLED, ("restarting " + statuses).split(" "));

        assertThat(watch.listed(i)).isEmpty();
        assertThat(watch.found(i, "echo")).isEmpty();
        var kept = watch.debug(i);
        var told = watch.told(i).getLast();
        assertThat(kept.path("status").asString()).isEqualTo(told.text("status"));
        assertThat(kept.path("tools").toString()).contains(i.toolPath("echo"));
        assertThat(Instant.parse(kept.path("last_updated").asString()))
                .isBetween(at(i, "restarting"), Instant.parse(told.text("timestamp")));
        assertThat(told.text("status_message")).isEqualTo(kept.path("status_message").asString(""));
    }

    @Test
    @DisplayName("STA-10, STA-11, STA-12: its failure hides no other user's tools")
    void hidesNobodyElse() throws Exception {
        var mine = backend.install(elsewhere());
        try (var theirs = HttpFixture.start()) {
            var mate = mine.ofUser("mate").with("url", theirs.url());
            backend.install(mate);
            var otherTeam = backend.install(elsewhere());
            var before = watch.listed(mine);
            assertThat(before).contains("echo");

            theirs.order(REFUSE);
            backend.call(mate, "echo", ECHO);
            backend.status(mate, "offline");

            assertThat(watch.listed(mate)).isEmpty();
            assertThat(watch.listed(mine.ofUser("without-configuration"))).isEmpty();
            for (var well : List.of(mine, otherTeam)) {
                assertThat(watch.listed(well)).isEqualTo(before);
                assertThat(backend.text(well, "echo", ECHO)).isEqualTo("hi");
                backend.status(well, "online");
                assertThat(watch.statuses(well)).hasSize(INSTALLED);
            }
        }
    }

    @Test
    @DisplayName("STA-40: fifty transitions are told in order, without a hole")
    void order() throws Exception {
        var i = backend.install(elsewhere());
        int outages = 12;
        for (int outage = 0; outage < outages; outage++) {
            h.order(REFUSE);
            watch.check(i, "connectivity");
            h.order(OK);
            backend.text(i, "echo", ECHO);
            watch.next(i, INSTALLED + 4 * (outage + 1) - 1);
        }

        var once = List.of("offline", "connecting", "discovering_tools", "online");
        watch.follows(
                i,
                INSTALLED,
                IntStream.range(0, outages)
                        .mapToObj(n -> once)
                        .flatMap(List::stream)
                        .toArray(String[]::new));
        var told = watch.told(i);
        assertThat(told).hasSizeGreaterThan(50);
        assertThat(told.stream().map(HttpStatusTest::sequence).distinct().toList()).isSorted();
        assertThat(
                        IntStream.range(1, told.size())
                                .allMatch(
                                        n ->
                                                told.get(n)
                                                        .text("previous_status")
                                                        .equals(told.get(n - 1).text("status"))))
                .isTrue();
        long end = sequence(told.getLast());
        await().atMost(Records.PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(sequences(i).filter(s -> s <= end).boxed().toList())
                                        .isEqualTo(
                                                LongStream.rangeClosed(1, end).boxed().toList()));
    }

    private Installation elsewhere() {
        return Installation.elsewhere("http", h.url());
    }

    /** When the status was told first. */
    private Instant at(Installation installation, String status) {
        return Instant.parse(backend.status(installation, status).text("timestamp"));
    }

    private static List<Instant> times(JsonNode millis) {
        return Stream.iterate(0, n -> n < millis.size(), n -> n + 1)
                .map(n -> Instant.ofEpochMilli(millis.get(n).asLong()))
                .toList();
    }

    /** The numbers of all records about an instance, on all topics, each once. */
    private LongStream sequences(Installation installation) {
        return fleet
                .records()
                .matching(r -> r.header("ce_id").startsWith(installation.processId() + "/"))
                .stream()
                .mapToLong(HttpStatusTest::sequence)
                .distinct()
                .sorted();
    }

    private static long sequence(Received received) {
        var id = received.header("ce_id");
        return Long.parseLong(id.substring(id.lastIndexOf('/') + 1));
    }
}
