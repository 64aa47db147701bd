package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.mcp.HttpFixture;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("The command mcp_recovery, through topics")
@ExtendWith(SharedFleet.class)
final class RecoveryCommandTest {

    private static final String HI = "{\"message\":\"hi\"}";

    private final FleetUnderTest fleet;
    private final Backend backend;
    private HttpFixture h;

    RecoveryCommandTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @BeforeEach
    void start() throws IOException {
        h = HttpFixture.start();
    }

    @AfterEach
    void end() {
        h.close();
    }

    @Test
    @DisplayName("REC-11, REC-16: leads to online, or to offline again while the server is away")
    void oneUser() throws Exception {
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = StatusWatch.ofOnline(fleet, server);
        h.order("{'mode':'refuse'}");
        backend.call(server, "echo", HI);
        watch.await("offline");

        var early = backend.result(recovery(server));
        assertThat(early.text("outcome")).as(early.toString()).isEqualTo("failed");
        assertThat(early.text("result/resulting_status")).isEqualTo("offline");

        h.order("{'mode':'ok'}");
        var result = backend.result(recovery(server));
        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
        assertThat(result.text("result/resulting_status")).isEqualTo("online");
        assertThat(watch.statusesUntilTheEnd())
                .containsExactly(
                        "offline",
                        "connecting",
                        "discovering_tools",
                        "offline",
                        "connecting",
                        "discovering_tools",
                        "online");
    }

    @Test
    @DisplayName("REC-12: without a user it reaches each user's instance on each worker")
    void allUsers() throws Exception {
        var server = Installation.elsewhere("http", h.url());
        var users = backend.install(fleet.placing().usersOf(server, 3));
        assertThat(users.stream().map(user -> backend.status(user, "online").text("worker_id")))
                .doesNotContainNull()
                .satisfies(workers -> assertThat(Set.copyOf(workers)).hasSize(2));
        var watches = users.stream().map(user -> StatusWatch.ofOnline(fleet, user)).toList();
        h.order("{'mode':'refuse'}");
        backend.answers(users.stream().map(user -> backend.request(user, "echo", HI)).toList());
        watches.forEach(watch -> watch.await("offline"));
        h.order("{'mode':'ok'}");

        var result =
                backend.result(
                        backend.commandForAll(
                                server, "configure", RecoveryCommandTest::ofRecovery));

        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
        assertThat(result.json().at("/result/instances"))
                .hasSize(users.size())
                .allMatch(it -> it.at("/result/resulting_status").asString("").equals("online"));
        for (var watch : watches) {
            watch.await("online");
            assertThat(watch.statuses())
                    .containsExactly("offline", "connecting", "discovering_tools", "online");
        }
    }

    @Test
    @DisplayName("REC-13: does nothing to a process")
    void skipsProcesses() {
        var f = backend.install(Installation.fixture());
        var pid = backend.text(f, "pid", "{}");
        var watch = StatusWatch.ofOnline(fleet, f);

        var result = backend.result(recovery(f));

        assertThat(result.text("outcome")).isEqualTo("completed");
        assertThat(result.text("result/note")).isEqualTo("skipped");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);
        assertThat(backend.text(f, "record", "{}")).containsOnlyOnce("tools/list");
        assertThat(watch.statusesUntilTheEnd()).isEmpty();
    }

    @Test
    @DisplayName("REC-14: is completed where there is no such installation, for one user or all")
    void unknownInstallation() {
        var unknown = Installation.elsewhere("http", h.url());
        var ofAll = backend.commandForAll(unknown, "configure", RecoveryCommandTest::ofRecovery);

        for (var id : new String[] {recovery(unknown), ofAll}) {
            var result = backend.result(id);
            assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
            assertThat(result.text("result/note")).isEqualTo("not found");
        }
        assertThat(fleet.records().matching(r -> r.key().equals(unknown.processId()))).isEmpty();
    }

    @Test
    @DisplayName("REC-15: fails when it does not say for which installation")
    void noInstallation() {
        var server = Installation.elsewhere("http", h.url());
        var id =
                backend.command(
                        server,
                        "configure",
                        command -> {
                            ((ObjectNode) command.get("payload")).remove("installation_id");
                            return ofRecovery(command);
                        });

        var result = backend.result(id);

        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("failed");
        assertThat(result.text("error/message")).contains("installation_id");
    }

    private String recovery(Installation installation) {
        return backend.command(installation, "configure", RecoveryCommandTest::ofRecovery);
    }

    private static ObjectNode ofRecovery(ObjectNode command) {
        ((ObjectNode) command.get("payload")).put("event", "mcp_recovery");
        return command;
    }
}
