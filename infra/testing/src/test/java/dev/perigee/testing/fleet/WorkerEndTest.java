package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** One fleet: after each test its worker is started again and serves nothing. */
@DisplayName("When a worker ends")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WorkerEndTest {
    private FleetUnderTest fleet;
    private List<Installation> installed = List.of();

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("worker-end")
                        .worker("process.termination-grace", "6s")
                        .start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @AfterEach
    void servesNothing() {
        if (!fleet.part("worker-1").alive()) {
            fleet.startWorker(1).awaitReady();
        }
        installed.forEach(fleet.backend()::uninstall);
        installed = List.of();
    }

    private void install(Installation... servers) {
        installed = fleet.backend().install(List.of(servers));
    }

    @Test
    @DisplayName(
            "PRO-115, PRO-52: by kill -9, no process stays, not even one that ignores everything")
    void killed() {
        install(
                Installation.fixture("--ignore-eof", "--ignore-term", "--fork", "--fork-detached"),
                Installation.fixture());
        assertThat(serverPids()).hasSizeGreaterThanOrEqualTo(4);

        fleet.part("worker-1").kill();

        assertNoServerStays();
    }

    @Test
    @DisplayName(
            "PRO-114: by SIGTERM, what runs is finished, its servers are ended and their last lines"
                    + " sent")
    void terminated() {
        var f = Installation.fixture("--fork", "--ignore-eof"); // Which would end it before.
        install(f);
        var backend = fleet.backend();
        var running = backend.request(f, "sleep", "{\"ms\":2000}");
        backend.text(f, "stderr", "{\"text\":\"said before the end\"}");

        int exitCode = fleet.part("worker-1").terminate();

        assertThat(exitCode).isIn(0, 143);
        assertNoServerStays();
        assertThat(fleet.part("worker-1").output()).doesNotContain("Exception in thread");
        assertThat(fleet.part("gateway-1").alive()).as("%s", installed).isTrue();
        var answer = backend.answer(running);
        assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
        for (var line : List.of("said before the end", "received SIGTERM")) {
            fleet.records()
                    .await(
                            Topic.LOGS,
                            line,
                            r ->
                                    r.key().equals(f.processId())
                                            && r.json().toString().contains(line));
        }
    }

    @Test
    @DisplayName(
            "RES-19, STA-42: and starts again, its instances come back with new processes, and are"
                    + " online with them only")
    void restarted() {
        var f = Installation.fixture();
        install(f);
        var watch = new Watch(fleet);
        var pid = fleet.backend().text(f, "pid", "{}");
        fleet.backend().status(f, "online");
        int known = watch.statuses(f).size();

        fleet.part("worker-1").kill();
        fleet.startWorker(1).awaitReady();

        watch.follows(f, known, "connecting", "discovering_tools", "online");
        long online = watch.told(f).getLast().json().path("pid").asLong();
        assertThat(ProcessHandle.of(online).filter(ProcessHandle::isAlive)).isPresent();
        assertThat(fleet.backend().text(f, "pid", "{}"))
                .isEqualTo(Long.toString(online))
                .isNotEqualTo(pid);
    }

    private void assertNoServerStays() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(serverPids()).isEmpty());
    }

    private List<String> serverPids() {
        return fleet.processesOfServers().stream()
                .map(process -> process.pid() + " " + process.info().commandLine().orElse(""))
                .toList();
    }
}
