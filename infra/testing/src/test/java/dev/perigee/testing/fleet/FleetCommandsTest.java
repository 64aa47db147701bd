package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("Commands through topics")
@ExtendWith(SharedFleet.class)
final class FleetCommandsTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    FleetCommandsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName("PRO-109: an expired command is not executed")
    void expired() {
        var f = Installation.fixture();
        var id =
                backend.command(
                        f,
                        "configure",
                        command -> {
                            command.put("expires_at", Instant.now().minusSeconds(5).toString());
                            ((ObjectNode) command.get("payload"))
                                    .put("event", "mcp_installation_created")
                                    .set("config", f.config());
                            return command;
                        });

        assertThat(backend.result(id).text("outcome")).isEqualTo("expired");
        assertThat(backend.call(f, "echo", "{}").text("error/code")).isEqualTo("unknown_server");
        assertThat(fleet.records().matching(r -> r.key().equals(f.processId()))).isEmpty();
    }

    @Test
    @DisplayName("PRO-110: a command with the same id runs once")
    void duplicate() {
        var f = backend.install(Installation.fixture());
        var pid = backend.text(f, "pid", "{}");
        var id = backend.command(f, "restart", UnaryOperator.identity());
        backend.result(id);
        var restarted = backend.text(f, "pid", "{}");

        backend.command(f, "restart", command -> command.put("id", id));
        var after = backend.command(f, "spawn", UnaryOperator.identity());

        assertThat(backend.result(after).text("outcome")).isEqualTo("completed");
        assertThat(restarted).isNotEqualTo(pid);
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(restarted);
    }

    @Test
    @DisplayName("PRO-111: an unknown type fails; each command has one terminal result")
    void unknownType() {
        var f = backend.install(Installation.fixture());
        var id = backend.command(f, "make_coffee", UnaryOperator.identity());

        var result = backend.result(id);

        assertThat(result.text("outcome")).isEqualTo("failed");
        assertThat(result.text("error/message")).contains("make_coffee");
        backend.text(f, "echo", "{\"message\":\"still here\"}");
        assertThat(
                        fleet.records().on(Topic.COMMAND_RESULTS).stream()
                                .filter(r -> !r.text("outcome").equals("acknowledged"))
                                .map(r -> r.text("command_id")))
                .doesNotHaveDuplicates();
    }

    @Test
    @DisplayName(
            "PRO-53, PRO-54, PRO-108: kill stops by intent, what runs is answered once, spawn starts"
                    + " again, twice is harmless")
    void killAndSpawn() {
        var f = backend.install(Installation.fixture());
        var pid = backend.text(f, "pid", "{}");
        var running = backend.request(f, "sleep", "{\"ms\":25000}");
        backend.text(f, "echo", "{\"message\":\"the other one is running\"}");

        var killed = backend.result(backend.command(f, "kill", UnaryOperator.identity()));
        var ended = backend.answer(running);
        var refused = backend.call(f, "echo", "{\"message\":\"x\"}");
        var spawned = backend.result(backend.command(f, "spawn", UnaryOperator.identity()));
        var newPid = backend.text(f, "pid", "{}");
        var again = backend.result(backend.command(f, "spawn", UnaryOperator.identity()));

        assertThat(killed.text("outcome")).isEqualTo("completed");
        assertThat(ended.text("outcome")).isEqualTo("failed");
        assertThat(ended.text("error/code")).isNotEqualTo("timeout");
        assertThat(refused.text("error/code")).isEqualTo("stopped");
        assertThat(spawned.text("outcome")).isEqualTo("completed");
        assertThat(newPid).isNotEqualTo(pid);
        assertThat(again.text("outcome")).isEqualTo("completed");
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(newPid);
        assertThat(events(f)).contains("mcp.server.stopped").doesNotContain("mcp.server.crashed");
        assertThat(fleet.records().matching(r -> r.text("request_id").equals(running)))
                .extracting(r -> r.header("ce_id"))
                .containsOnly(ended.header("ce_id"));
    }

    @Test
    @DisplayName("TEN-01: a process id is one user's in the whole fleet, in whichever partition")
    void anothersProcessId() {
        var f = backend.install(Installation.fixture());
        var slug = f.config().get("user_slug").asString();
        var pid = backend.text(f, "pid", "{}");

        for (int i = 0; i < 2 * fleet.partitions(); i++) {
            var thief = f.ofUser("thief-" + i).with("user_slug", slug);
            var refused = backend.result(backend.configure(thief, "mcp_installation_created"));
            assertThat(refused.text("outcome")).isEqualTo("rejected");
            assertThat(refused.text("error/code")).isEqualTo("process_id_taken");
            var removed = backend.result(backend.configure(thief, "mcp_installation_deleted"));
            assertThat(removed.text("outcome")).isEqualTo("completed");
        }

        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);
        assertThat(fleet.records().on(Topic.STATUS))
                .filteredOn(r -> r.key().equals(f.processId()))
                .isNotEmpty()
                .allSatisfy(r -> assertThat(r.text("user_id")).isEqualTo(f.userId()));
    }

    @Test
    @DisplayName("PRO-70, PRO-71: the same configuration changes nothing, another one restarts")
    void update() {
        var f = backend.install(Installation.fixture("--old"));
        var pid = backend.text(f, "pid", "{}");

        backend.result(backend.configure(f, "mcp_installation_updated"));
        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);

        var tools = "[\"pid\",\"args\",\"new\"]";
        var changed = f.withArgs(Installation.fixture("--new", "--tools", tools).args());
        backend.result(backend.configure(changed, "mcp_installation_updated"));

        assertThat(backend.text(f, "pid", "{}")).isNotEqualTo(pid);
        assertThat(backend.text(f, "args", "{}")).startsWith("[\"--new\",");
        assertThat(new Watch(fleet).listed(f)).containsExactly("pid", "args", "new");
        assertThat(backend.status(f, "restarting").text("previous_status")).isEqualTo("online");
    }

    @Test
    @DisplayName("PRO-64, PRO-65, STA-45: a deletion leaves no process and removes what was kept")
    void delete() {
        var f = backend.install(Installation.fixture());
        long pid = Long.parseLong(backend.text(f, "pid", "{}"));

        var result = backend.uninstall(f);

        assertThat(result.text("outcome")).isEqualTo("completed");
        assertThat(result.json().at("/result/active").asBoolean()).isTrue();
        assertThat(result.json().at("/result/dormant").asBoolean()).isFalse();
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        for (var topic : List.of(Topic.STATUS, Topic.TOOLS, Topic.CATALOG)) {
            fleet.records()
                    .await(
                            topic,
                            "tombstone",
                            r -> r.key().equals(f.processId()) && r.isTombstone());
        }
        assertThat(backend.call(f, "echo", "{}").text("error/code")).isEqualTo("unknown_server");
    }

    @Test
    @DisplayName("PRO-68: a deletion for all ends every user's process on every worker")
    void deleteForAll() {
        var f = Installation.fixture();
        var users = backend.install(fleet.placing().usersOf(f, 3));
        assertThat(users.stream().map(user -> backend.status(user, "online").text("worker_id")))
                .doesNotContainNull()
                .satisfies(workers -> assertThat(Set.copyOf(workers)).hasSize(2));
        var another = backend.install(f.as("other-server", "other"));
        var pids = users.stream().map(user -> backend.text(user, "pid", "{}")).toList();

        var result = backend.result(backend.deleteForAll(f));

        assertThat(result.text("outcome")).as(result.toString()).isEqualTo("completed");
        assertThat(result.json().at("/result/instances")).hasSize(users.size());
        assertThat(result.json().at("/result/instances"))
                .allMatch(instance -> instance.at("/result/active").asBoolean());
        assertThat(pids)
                .noneMatch(
                        pid ->
                                ProcessHandle.of(Long.parseLong(pid))
                                        .map(ProcessHandle::isAlive)
                                        .orElse(false));
        assertThat(backend.call(users.getLast(), "echo", "{}").text("error/code"))
                .isEqualTo("unknown_server");
        assertThat(backend.call(another, "echo", "{}").text("outcome")).isEqualTo("success");
    }

    @Test
    @DisplayName("PRO-74: one bad configuration among good ones costs only itself")
    void oneBadConfiguration() {
        var first = Installation.fixture();
        var bad = first.as("bad-server", "bad");
        var last = first.as("last-server", "last");

        backend.configure(first, "mcp_installation_created");
        var id =
                backend.command(
                        bad,
                        "configure",
                        command -> {
                            ((ObjectNode) command.get("payload"))
                                    .put("event", "mcp_installation_created")
                                    .set("config", bad.config().put("args", "not a list"));
                            return command;
                        });
        backend.configure(last, "mcp_installation_created");

        assertThat(backend.result(id).text("outcome")).isEqualTo("rejected");
        for (var good : List.of(first, last)) {
            backend.status(good, "online");
            assertThat(backend.call(good, "echo", "{}").text("outcome")).isEqualTo("success");
        }
        assertThat(fleet.records().on(Topic.STATUS))
                .noneMatch(r -> r.key().equals(bad.processId()));
    }

    @Test
    @DisplayName("PRO-108: a configuration without a program fails")
    void withoutProgram() {
        var f = Installation.fixture();
        var id =
                backend.command(
                        f,
                        "configure",
                        command -> {
                            var config = f.config();
                            config.remove("command");
                            ((ObjectNode) command.get("payload"))
                                    .put("event", "mcp_installation_created")
                                    .set("config", config);
                            return command;
                        });

        var letter =
                fleet.records()
                        .await(
                                Topic.DEAD_LETTERS,
                                "dead letter of " + id,
                                r -> r.text("id").equals(id));
        assertThat(letter.header("perigee-detail")).contains("command");
    }

    private List<String> events(Installation installation) {
        return fleet.records().on(Topic.LIFECYCLE).stream()
                .filter(r -> r.key().equals(installation.processId()))
                .map(r -> r.text("event"))
                .toList();
    }
}
