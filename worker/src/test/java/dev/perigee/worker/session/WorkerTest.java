package dev.perigee.worker.session;

import static dev.perigee.worker.session.WholeWorker.data;
import static dev.perigee.worker.session.WholeWorker.is;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.worker.Worker;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.WorkerStartException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A whole worker with real processes, driven over its link as a gateway would. */
final class WorkerTest {
    private static final String TOKEN = "s3cret";
    private static final String LAST_WORDS =
            "trap 'echo bye; exit 0' TERM; echo hello; sleep 600 & wait";

    private final Worker worker = Worker.start(settings(Map.of()));

    WorkerTest() throws WorkerStartException {}

    private static Settings settings(Map<String, String> more) {
        var texts = new HashMap<String, String>();
        texts.put("worker.id", "worker-test-" + UUID.randomUUID());
        texts.put("link.listen", "127.0.0.1:0");
        texts.put("link.token", TOKEN);
        texts.put("admin.listen", "127.0.0.1:0");
        texts.put("process.termination-grace", "20s");
        texts.put("worker.drain-timeout", "1s"); // No gateway here lets sessions go.
        texts.put("worker.mode", "development");
        texts.put("isolation.mode", "none");
        texts.putAll(more);
        return WorkerSettings.SCHEMA.read(texts);
    }

    @AfterEach
    void stop() {
        worker.close();
    }

    @Test
    @DisplayName("PRO-114 a worker that is stopped ends its children and has its last words acked")
    void stopsInOrder() throws Exception {
        try (var gateway = RawGateway.greeted("g-1", worker.linkUri(), TOKEN)) {
            gateway.attach(1, 1, true);
            gateway.ask(LinkMethod.APPLY, program(LAST_WORDS), RawJson.class);
            var started = until(gateway, event -> is(event, EventType.STARTED));
            long pid = pid(started.data());
            assertThat(ProcessHandle.of(pid)).isPresent();
            until(gateway, event -> says(event, "hello"));

            var closing = Thread.ofVirtual().start(worker::close);
            var last = new ArrayList<InstanceEvent>();
            gateway.forEachUntilClosed(
                    event -> {
                        last.add(event);
                        gateway.ack(event.processId(), event.seq());
                    });
            assertThat(closing.join(Duration.ofSeconds(60))).isTrue();
            assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
            assertThat(last).anyMatch(event -> says(event, "bye"));
            assertThat(gateway.closed.get(10, TimeUnit.SECONDS)).isEqualTo(1001);
        }
    }

    /** Takes and acknowledges what comes, until this has come. */
    private static InstanceEvent until(RawGateway gateway, Predicate<InstanceEvent> wanted)
            throws InterruptedException {
        InstanceEvent event;
        do {
            event = gateway.event();
            gateway.ack(event.processId(), event.seq());
        } while (!wanted.test(event));
        return event;
    }

    private static boolean says(InstanceEvent event, String line) {
        return is(event, EventType.LOGS) && data(event).toString().contains('"' + line + '"');
    }

    @Test
    void tellsOperatorsHowItIs() throws Exception {
        var live = get("/health/live");
        assertThat(live.statusCode()).isEqualTo(200);
        assertThat(live.body()).isEqualTo("{\"status\":\"live\",\"obstacles\":[]}");
        var ready = get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).isEqualTo("{\"status\":\"ready\",\"obstacles\":[]}");
        try (var gateway = RawGateway.greeted("g-1", worker.linkUri(), TOKEN)) {
            gateway.attach(1, 1, true);
            gateway.ask(LinkMethod.APPLY, program("exec sleep 600"), RawJson.class);
            assertThat(get("/metrics").body())
                    .contains("perigee_worker_instances{state=\"running\"} 1")
                    .contains("perigee_worker_sessions{attached=\"true\"} 1")
                    .contains("perigee_worker_link_connections 1")
                    .contains("perigee_worker_link_unauthorized_total 0")
                    .contains("perigee_worker_session_expirations_total 0")
                    .contains("perigee_worker_journal_entries")
                    .contains("perigee_worker_call_duration_seconds_bucket")
                    .contains("jvm_memory_used_bytes")
                    .doesNotContainPattern("# HELP perigee_\\w+ *\\n")
                    .doesNotContain("alice", "t1", "u1");
            assertThat(get("/debug/instances?team=t1&user=u1").body())
                    .contains("\"count\":1", "\"state\":\"running\"", "echo-acme-alice-i1");
            assertThat(get("/debug/instances?team=other").body()).contains("\"count\":0");
            assertThat(get("/debug/instances?process=echo-acme-alice-i1&state=running").body())
                    .contains("\"count\":1", "\"dormant_count\":0", "\"counts_by_state\":{");
            var mistyped = get("/debug/instances?teem=t1");
            assertThat(mistyped.statusCode()).isEqualTo(400);
            assertThat(mistyped.body()).contains("team");
            assertThat(get("/nowhere").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void hidesInstancesInProduction() throws Exception {
        var production = Map.of("worker.mode", "production");
        try (var closed = Worker.start(settings(production))) {
            var answer = get(closed.adminUri().resolve("/debug/instances"));
            assertThat(answer.statusCode()).isEqualTo(404);
        }
    }

    @Test
    void leavesNothingBehindWhenItCannotStart() {
        var taken = "127.0.0.1:" + worker.linkUri().getPort();
        long before = watchdogs();
        assertThatThrownBy(() -> Worker.start(settings(Map.of("link.listen", taken))).close())
                .isInstanceOf(WorkerStartException.class)
                .hasMessageContaining(taken);
        await().until(() -> watchdogs() == before);
    }

    @Test
    void closesTwiceWithoutHarm() {
        worker.close();
        worker.close();
        assertThat(worker.workerId()).startsWith("worker-test-");
    }

    private static long watchdogs() {
        return ProcessHandle.current().children().filter(child -> isWatchdog(child.pid())).count();
    }

    private static boolean isWatchdog(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"))
                    .contains("\0perigee-watchdog\0");
        } catch (IOException e) {
            return false; // It has ended.
        }
    }

    private static long pid(@Nullable RawJson event) {
        assertThat(event).isNotNull();
        return Json.tree(event.bytes()).path("pid").asLong();
    }

    private static InstanceOrder.Apply program(String script) {
        var config =
                Json.read(
                        Json.raw(
                                Map.of(
                                        "installation_id", "i1",
                                        "server_slug", "echo",
                                        "team_id", "t1",
                                        "team_slug", "acme",
                                        "user_id", "u1",
                                        "user_slug", "alice",
                                        "transport_type", "command",
                                        "command", "bash",
                                        "args", List.of("-c", script))),
                        ServerConfig.class);
        var order = Orders.apply(1L, "i1", 10);
        return new InstanceOrder.Apply(
                order.partition(),
                order.origin(),
                order.commandId(),
                order.startToken(),
                order.cause(),
                config,
                false,
                null,
                null);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return get(worker.adminUri().resolve(path));
    }

    private static HttpResponse<String> get(URI uri) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
