package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.node.ObjectNode;

/** Restarts wait fractions of a second. */
@DisplayName("The status of a server that is a process, through topics")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
final class StatusFlowsTest {
    private static final String ECHO = "{\"message\":\"hi\"}";

    /** How many statuses an installation that goes well has. */
    private static final int INSTALLED = 5;

    private FleetUnderTest fleet;
    private Backend backend;
    private Watch watch;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("status-flows")
                        .worker("restart.delays", "100ms,200ms")
                        .worker("process.termination-grace", "3s")
                        .worker("logs.batch-interval", "200ms")
                        .start();
        backend = fleet.backend();
        watch = new Watch(fleet);
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("STA-03, STA-08, STA-30: is restarting as soon as its configuration changes")
    void updates(@TempDir Path folder) throws Exception {
        var go = folder.resolve("go");
        var f = backend.install(Installation.fixture("--ignore-term", "--ignore-eof"));
        var update =
                backend.configure(
                        f.withArgs(Installation.fixture("--init-when", go.toString()).args()),
                        "mcp_installation_updated");

        var restarting = watch.next(f, INSTALLED);

        assertThat(restarting.text("command_id")).isEqualTo(update);
        assertThat(watch.listed(f)).isEmpty();
        Files.createFile(go);
        backend.result(update);
        watch.follows(f, INSTALLED, "restarting", "connecting", "discovering_tools", "online");
        // The process before does not end before the grace is over.
        var connecting = watch.told(f).get(INSTALLED + 1);
        assertThat(Duration.between(time(restarting), time(connecting)))
                .isGreaterThanOrEqualTo(Duration.ofMillis(2990));
        assertThat(watch.listed(f)).contains("echo");
    }

    @Test
    @DisplayName("STA-24, STA-25, STA-26: says what it does while it does it")
    void tellsWhatItDoes() {
        var f = backend.install(Installation.fixture("--slow-init", "600", "--slow-list", "600"));

        var asked = at(f, "discovering_tools");
        assertThat(Duration.between(at(f, "connecting"), asked))
                .isGreaterThanOrEqualTo(Duration.ofMillis(590));
        assertThat(Duration.between(asked, at(f, "online")))
                .isGreaterThanOrEqualTo(Duration.ofMillis(590));
    }

    @Test
    @DisplayName("STA-07, STA-08, STA-19: after three crashes it is blocked, and nothing starts it")
    void failsPermanently() {
        var f = backend.install(Installation.fixture("--mark-permanent"));
        for (int crash = 0; crash < 3; crash++) {
            int known = INSTALLED + 3 * crash;
            assertThat(backend.call(f, "crash", "{\"code\":1}").text("error/code"))
                    .isEqualTo("crashed");
            if (crash < 2) {
                watch.follows(f, known, "connecting", "discovering_tools", "online");
            } else {
                watch.follows(f, known, "permanently_failed");
            }
        }

        var blocked = backend.call(f, "echo", ECHO);

        assertThat(blocked.text("error/code")).isEqualTo("permanently_failed");
        assertThat(blocked.text("error/message"))
                .contains("Status: permanently_failed")
                .contains("Unavailable server: " + f.serverSlug());
        assertThat(blocked.json().at("/error/retryable").asBoolean(true)).isFalse();
        assertThat(watch.listed(f)).isEmpty();
        assertThat(watch.debug(f).path("tools")).isNotEmpty();
        assertThat(fleet.processesOfServers())
                .noneMatch(
                        process ->
                                process.info().commandLine().orElse("").contains("mark-permanent"));
        assertThat(watch.statuses(f)).endsWith("permanently_failed");
    }

    @Test
    @DisplayName("STA-22: a call in a transition waits, bounded, and is served or may be repeated")
    void waits() {
        var slow = Installation.fixture("--slow-init", "1500");
        backend.configure(slow, "mcp_installation_created");
        backend.status(slow, "connecting");
        var served = backend.call(slow, "echo", ECHO);
        assertThat(served.text("outcome")).isEqualTo("success");
        assertThat(at(slow, "online")).isBeforeOrEqualTo(Instant.parse(served.text("timestamp")));

        var slower = Installation.fixture("--slow-init", "60000");
        backend.configure(slower, "mcp_installation_created");
        backend.status(slower, "connecting");
        var refused = backend.call(slower, "echo", ECHO);
        assertThat(refused.text("error/code")).isEqualTo("unavailable");
        assertThat(refused.json().at("/error/retryable").asBoolean()).isTrue();
        assertThat(refused.text("error/message")).contains("Status: connecting");
        assertThat(refused.json().path("duration_ms").asLong()).isGreaterThanOrEqualTo(9990);
        assertThat(watch.statuses(slower)).endsWith("connecting");
        backend.uninstall(slower);
    }

    @Test
    @DisplayName("STA-38: without its user's configuration there is no process, with it there is")
    void awaitsItsConfiguration() {
        var f = Installation.fixture("--mark-awaiting").with("status", "awaiting_user_config");
        assertThat(backend.call(f, "echo", ECHO).text("error/code")).isEqualTo("unknown_server");

        var rejected = backend.result(backend.configure(f, "mcp_installation_created"));

        assertThat(rejected.text("outcome")).isEqualTo("rejected");
        assertThat(rejected.text("error/message")).contains("awaiting_user_config");
        assertThat(backend.call(f, "echo", ECHO).text("error/code")).isEqualTo("unknown_server");
        assertThat(fleet.records().matching(r -> r.key().equals(f.processId()))).isEmpty();
        assertThat(fleet.processesOfServers())
                .noneMatch(
                        process ->
                                process.info().commandLine().orElse("").contains("mark-awaiting"));
        backend.install(f.with("status", "provisioning"));
        backend.status(f, "online");
        assertThat(watch.statuses(f)).hasSize(INSTALLED);
        assertThat(backend.text(f, "echo", ECHO)).isEqualTo("hi");
    }

    @Test
    @DisplayName("STA-14: a request for what nobody configured is refused, and says why")
    void refusesTheUnknown() {
        var answer = backend.call(Installation.fixture(), "echo", ECHO);

        assertThat(answer.text("outcome")).isEqualTo("failed");
        assertThat(answer.text("error/code")).isEqualTo("unknown_server");
        assertThat(answer.text("error/message")).isNotEmpty();
    }

    @Test
    @DisplayName("STA-17: a tool's name may hold a colon")
    void routesByTheFirstColon() {
        var f = backend.install(Installation.fixture("--tools", "[\"echo\",\"files:read\"]"));

        // F lists it only; what it answers shows for what it was asked.
        assertThat(backend.call(f, "files:read", "{}").text("error/message"))
                .contains("Unknown tool: files:read");
        assertThat(watch.listed(f)).containsExactly("echo", "files:read");
    }

    @Test
    @DisplayName("STA-46: a disabled tool is hidden and refused, until it is enabled")
    void disablesTools() {
        var f = backend.install(Installation.fixture());

        var disabled = backend.result(switchEcho(f, true));
        assertThat(disabled.text("outcome")).isEqualTo("completed");
        assertThat(watch.listed(f)).doesNotContain("echo").contains("pid");
        assertThat(watch.found(f, "echo")).doesNotContain("echo");
        var refused = backend.call(f, "echo", ECHO);
        assertThat(refused.text("error/code")).isEqualTo("tool_disabled");
        assertThat(refused.text("error/message")).contains("echo");
        assertThat(backend.text(f, "record", "{}")).doesNotContain("\\\"echo\\\"");
        var updated =
                fleet.records()
                        .await(
                                Topic.LIFECYCLE,
                                "tools updated",
                                r ->
                                        r.key().equals(f.processId())
                                                && r.text("event").equals("mcp.tools.updated"));
        assertThat(updated.text("removed/0")).isEqualTo("echo");

        backend.result(backend.command(f, "restart", UnaryOperator.identity()));
        assertThat(backend.call(f, "echo", ECHO).text("error/code")).isEqualTo("tool_disabled");

        backend.result(switchEcho(f, false));
        assertThat(watch.listed(f)).contains("echo");
        assertThat(backend.text(f, "echo", ECHO)).isEqualTo("hi");
    }

    @Test
    @DisplayName("Tools are searched in all servers of a user, best first, also with mistakes")
    void searches() {
        var f = backend.install(Installation.fixture());
        var files =
                backend.install(
                        f.as("files", "files-" + f.installationId())
                                .withArgs(
                                        Installation.fixture(
                                                        "--tools",
                                                        "[\"read_file\",\"write_file\",\"list_directory\"]")
                                                .args()));

        assertThat(watch.found(f, "read file")).startsWith("read_file", "write_file");
        assertThat(watch.found(f, "raed fiel").getFirst()).isEqualTo("read_file");
        assertThat(watch.found(f, "directories").getFirst()).isEqualTo("list_directory");
        assertThat(watch.found(f, "echo").getFirst()).isEqualTo("echo");
        assertThat(watch.found(f, "zzzzzz")).isEmpty();
        backend.uninstall(files);
        assertThat(watch.found(f, "read file")).doesNotContain("read_file");
    }

    @Test
    @DisplayName("STA-45: after its removal nothing is told of it any more")
    void endsForGood() {
        var f = backend.install(Installation.fixture("--ignore-term", "--ignore-eof"));
        backend.text(f, "stderr", "{\"n\":200,\"text\":\"a line\"}");
        var call = backend.request(f, "sleep", "{\"ms\":60000}");
        var crashing = backend.install(Installation.fixture().as("crashing", "crashing"));
        backend.call(crashing, "crash", "{\"code\":1}");

        long end = Math.max(removedAt(f), removedAt(crashing));
        assertThat(backend.answer(call).text("outcome")).isEqualTo("failed");
        backend.call(f, "echo", ECHO);

        // Batches of logs and restarts would have come by then.
        await().during(Duration.ofSeconds(3))
                .atMost(Records.PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(
                                                fleet.records()
                                                        .matching(
                                                                r ->
                                                                        isOf(f, r)
                                                                                || isOf(
                                                                                        crashing,
                                                                                        r)))
                                        .noneMatch(
                                                r ->
                                                        !r.isTombstone()
                                                                && r.raw().timestamp() > end));
        for (var topic : List.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG)) {
            assertThat(
                            fleet.records().on(topic).stream()
                                    .filter(r -> isOf(f, r))
                                    .toList()
                                    .getLast())
                    .matches(Received::isTombstone);
        }
    }

    /** Removes it, and says when the last record of that was written. */
    private long removedAt(Installation installation) {
        var result = backend.uninstall(installation);
        assertThat(result.text("outcome")).isEqualTo("completed");
        var tombstone =
                fleet.records()
                        .await(
                                Topic.STATUS,
                                "tombstone",
                                r -> isOf(installation, r) && r.isTombstone());
        return Math.max(result.raw().timestamp(), tombstone.raw().timestamp());
    }

    private String switchEcho(Installation installation, boolean disabled) {
        return backend.command(
                installation,
                "configure",
                command -> {
                    ((ObjectNode) command.get("payload"))
                            .put("action", "update_tool_status")
                            .put("tool_name", "echo")
                            .put("is_disabled", disabled);
                    return command;
                });
    }

    private static boolean isOf(Installation installation, Received received) {
        return received.key().equals(installation.processId());
    }

    /** When the status was told first. */
    private Instant at(Installation installation, String status) {
        return time(backend.status(installation, status));
    }

    private static Instant time(Received event) {
        return Instant.parse(event.text("timestamp"));
    }
}
