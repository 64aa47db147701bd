package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@DisplayName("A server that does not work fails with a useful message and harms nobody")
@ExtendWith(SharedFleet.class)
@Execution(ExecutionMode.CONCURRENT)
final class BadServersTest {
    private static final List<String> SMALL = List.of(Fixtures.smallScript().toString());

    private final FleetUnderTest fleet;
    private final Backend backend;
    private final Installation bystander = Installation.fixture();

    BadServersTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @BeforeEach
    void install() {
        backend.install(bystander);
    }

    @AfterEach
    void bystanderNoticesNothing() {
        assertThat(backend.text(bystander, "echo", "{\"message\":\"fine\"}")).isEqualTo("fine");
    }

    @Test
    @DisplayName("PRO-28: no serverInfo")
    void noServerInfo() {
        var message = fails(Installation.fixture("--no-serverinfo", "--mark-no-info"));

        assertThat(message).containsIgnoringCase("serverInfo");
        noProcessWith("--mark-no-info");
    }

    @Test
    @DisplayName("PRO-29: never answers")
    void mute() {
        var message =
                fails(
                        Installation.fixture("--mute", "--mark-mute")
                                .with("handshake_timeout_ms", 1500));

        assertThat(message).contains("did not answer initialize");
        noProcessWith("--mark-mute");
    }

    @Test
    @DisplayName("PRO-38: prints nothing but garbage")
    void onlyGarbage() {
        var message =
                fails(
                        Installation.fixture("--mute", "--garbage-on-start", "--mark-garbage")
                                .with("handshake_timeout_ms", 1500));

        assertThat(message).isNotEmpty();
        noProcessWith("--mark-garbage");
    }

    @Test
    @DisplayName("dies in the handshake: its last lines of stderr are in the message")
    void diesInHandshake() {
        var message =
                fails(
                        Installation.fixture(
                                "--stderr-on-start",
                                "cannot open database /x/y",
                                "--crash-on-initialize"));

        assertThat(message).contains("cannot open database /x/y").contains("1");
    }

    @Test
    @DisplayName(
            "PRO-112: a program that does not exist: the worker's log says so, and it serves on")
    void commandNotFound() {
        var missing =
                bystander
                        .as("missing", bystander.installationId() + "-missing")
                        .with("command", "no-such-program-anywhere");
        var pid = backend.text(bystander, "pid", "{}");

        var message = fails(missing);

        assertThat(message).contains("no-such-program-anywhere");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> isLogged("Server failed to start", missing));
        assertThat(backend.status(bystander, "online").text("worker_id"))
                .isNotEmpty()
                .isEqualTo(backend.status(missing, "error").text("worker_id"));
        assertThat(backend.text(bystander, "pid", "{}")).isEqualTo(pid);
    }

    /** Whether a worker's own log has a line about an instance. */
    private boolean isLogged(String what, Installation installation) {
        return Stream.of("worker-1", "worker-2")
                .flatMap(worker -> fleet.part(worker).output().lines())
                .anyMatch(line -> line.contains(what) && line.contains(installation.processId()));
    }

    @Test
    @DisplayName("STA-36: tools/list answered with an error")
    void listError() {
        var message = fails(Installation.fixture("--list-error"));

        assertThat(message).contains("ordered tools/list error");
    }

    @Test
    @DisplayName("STA-44: no tools at all is a valid answer")
    void noTools() {
        var f = backend.install(Installation.fixture("--tools", "[]"));

        var told = fleet.records().await(Topic.TOOLS, "tools", r -> r.key().equals(f.processId()));
        assertThat(told.json().path("tool_count").asInt(-1)).isZero();
        assertThat(told.json().path("tools").isArray()).isTrue();
        assertThat(new Watch(fleet).listed(f)).isEmpty();
        assertThat(new Watch(fleet).statuses(f)).endsWith("online").doesNotContain("error");
    }

    @Test
    @DisplayName(
            "PRO-113: of 20 installations one that starts slowly delays no other, of its user or not")
    void slowStarter(@TempDir Path folder) throws Exception {
        var go = folder.resolve("go");
        var slow =
                Installation.fixture("--init-when", go.toString())
                        .with("handshake_timeout_ms", 600_000);
        var command = backend.configure(slow, "mcp_installation_created");
        backend.status(slow, "connecting");

        var mates =
                IntStream.range(0, 9)
                        .mapToObj(n -> slow.as("small-" + n, slow.installationId() + "-" + n))
                        .map(mate -> mate.with("command", "sh").withArgs(SMALL));
        var strangers = Stream.generate(() -> Installation.of("small", "sh", SMALL)).limit(10);
        var others = backend.install(Stream.concat(mates, strangers).toList());

        var calls = others.stream().map(quick -> backend.request(quick, "pid", "{}")).toList();
        assertThat(backend.answers(calls))
                .allMatch(answer -> answer.text("outcome").equals("success"));
        assertThat(fleet.records().matching(r -> r.key().equals(slow.processId())))
                .noneMatch(r -> r.text("status").equals("online"));
        Files.createFile(go);
        assertThat(backend.result(command).text("result/resulting_status")).isEqualTo("online");
        others.forEach(backend::uninstall);
    }

    /** The status message after an installation that must fail. */
    private String fails(Installation installation) {
        var result = backend.result(backend.configure(installation, "mcp_installation_created"));
        assertThat(result.text("outcome")).isEqualTo("failed");
        assertThat(result.text("error/message")).isNotEmpty();
        return backend.status(installation, "error").text("status_message");
    }

    private void noProcessWith(String mark) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () ->
                                assertThat(fleet.processesOfServers())
                                        .noneMatch(
                                                process ->
                                                        process.info()
                                                                .commandLine()
                                                                .orElse("")
                                                                .contains(mark)));
    }
}
