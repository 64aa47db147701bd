package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("What a fleet writes is what the AsyncAPI document says")
@ExtendWith(SharedFleet.class)
final class ContractTest {

    private static final String SECRET = "s3cret-of-this-test";

    private final FleetUnderTest fleet;
    private final Backend backend;

    ContractTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName(
            "STA-01, STA-39, STA-41, PRO-102, TEN-19: every record is valid, and shows no credential")
    void everyRecordIsValid() throws Exception {
        live();
        fail();

        var contract = PublishedContract.ofThisTree();
        var records =
                fleet.records()
                        .matching(
                                r ->
                                        !r.topic().equals(Topic.DEAD_LETTERS.suffix())
                                                && !r.topic().equals(Records.REPLIES)
                                                && !r.isTombstone());

        assertThat(records).flatExtracting(contract::violations).isEmpty();
        assertNoStatusTwiceInARow();
        assertThat(records)
                .extracting(r -> r.text("event"))
                .contains(
                        "mcp.server.status_changed",
                        "mcp.server.started",
                        "mcp.server.crashed",
                        "mcp.server.stopped",
                        "mcp.server.logs",
                        "mcp.request.logs",
                        "perigee.call.progress",
                        "perigee.call.log",
                        "mcp.tools.discovered",
                        "perigee.tool.result",
                        "perigee.command.result",
                        "perigee.worker.heartbeat");
        assertThat(records).noneMatch(r -> r.json().toString().contains(SECRET));
        assertThat(records)
                .filteredOn(r -> r.text("event").equals("mcp.request.logs"))
                .anyMatch(r -> r.json().toString().contains("{\"message\":\"string(2)\"}"));
        for (var part : new String[] {"gateway-1", "worker-1", "worker-2"}) {
            assertThat(fleet.part(part).output()).doesNotContain(SECRET);
            for (var page : new String[] {"/health/ready", "/metrics", "/debug/instances"}) {
                assertThat(page(fleet.part(part).field("admin") + page)).doesNotContain(SECRET);
            }
        }
    }

    /** Of an instance, unless its record was removed between; repeats of a record do not count. */
    private void assertNoStatusTwiceInARow() {
        var last = new HashMap<String, String>();
        var seen = new HashSet<String>();
        for (var record : fleet.records().on(Topic.STATUS)) {
            if (record.isTombstone()) {
                last.remove(record.key());
            } else if (seen.add(record.header("ce_id"))) {
                var status = record.text("status");
                assertThat(last.put(record.key(), status))
                        .as("before %s", record)
                        .isNotEqualTo(status);
            }
        }
        assertThat(seen).isNotEmpty();
    }

    private static String page(String address) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create(address)).build(),
                            BodyHandlers.ofString())
                    .body();
        }
    }

    /** Installations that cannot work, with the secret where messages could quote it. */
    private void fail() {
        var says = "echo \"failed with $*\" >&2; exit 3";
        var shown =
                List.of(
                        "-c",
                        says,
                        "-",
                        "--key",
                        SECRET,
                        "--header",
                        "Authorization: Bearer " + SECRET,
                        "-HX-Any: " + SECRET,
                        "https://host.example/?page=1&api_key=" + SECRET,
                        "postgres://user:" + SECRET + "@db.example/x");
        var broken =
                List.of(
                        Installation.of("noisy", "sh", shown),
                        Installation.of("absent", "/no/such/program", List.of("--key", SECRET)),
                        Installation.elsewhere(
                                "http", "http://user:" + SECRET + "@127.0.0.1:1/mcp?key=" + SECRET),
                        Installation.elsewhere("http", "http://user:" + SECRET + "@[nowhere/mcp"));
        var commands =
                broken.stream()
                        .map(each -> backend.configure(each, "mcp_installation_created"))
                        .toList();
        commands.forEach(backend::result);
        await(broken.getFirst(), Topic.LOGS, "mcp.server.logs");
        broken.forEach(each -> backend.call(each, "echo", "{}"));
        broken.forEach(backend::uninstall);
    }

    /** A short life with a bit of everything. */
    private void live() {
        var f = backend.install(Installation.fixture().withEnv("API_KEY", SECRET));
        backend.text(f, "echo", "{\"message\":\"hi\"}");
        backend.text(f, "stderr", "{\"text\":\"a line\"}");
        backend.call(f, "rpc_error", "{\"code\":-32042,\"data\":{\"key\":\"" + SECRET + "\"}}");
        talk(f);
        backend.call(f, "crash", "{\"code\":3}");
        await(f, Topic.LIFECYCLE, "mcp.server.crashed");
        backend.result(backend.command(f, "restart", UnaryOperator.identity()));
        backend.result(backend.command(f, "kill", UnaryOperator.identity()));
        await(f, Topic.LIFECYCLE, "mcp.server.stopped");
        await(f, Topic.LOGS, "mcp.server.logs");
        await(f, Topic.REQUEST_LOGS, "mcp.request.logs");
        backend.uninstall(f);
        fleet.records()
                .await(Topic.HEARTBEATS, "heartbeat", r -> r.key().equals(r.text("worker_id")));
    }

    private void talk(Installation f) {
        var id =
                backend.request(
                        f,
                        "talk",
                        "{\"n\":1,\"ms\":1,\"log\":\"" + SECRET + "\"}",
                        request -> {
                            request.putArray("accepts").add("progress").add("log");
                            return request;
                        });
        backend.answer(id);
        for (var event : new String[] {"perigee.call.progress", "perigee.call.log"}) {
            fleet.records()
                    .await(
                            Topic.CALL_EVENTS,
                            event,
                            r -> r.key().equals(id) && r.text("event").equals(event));
        }
    }

    private void await(Installation installation, Topic topic, String event) {
        fleet.records()
                .await(
                        topic,
                        event,
                        r ->
                                r.key().equals(installation.processId())
                                        && r.text("event").equals(event));
    }
}
