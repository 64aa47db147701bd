package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("Users of one installation")
@ExtendWith(SharedFleet.class)
final class IsolationTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    IsolationTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName("PRO-01, PRO-02, PRO-06: have a process and a configuration each")
    void separateProcesses() {
        var first = Installation.fixture().withEnv("WHO", "first");
        var users =
                List.of(
                        first,
                        first.ofUser("second-user").withEnv("WHO", "second"),
                        first.ofUser("third-user").withEnv("WHO", "third"));
        users.forEach(backend::install);

        var pids = users.stream().map(user -> backend.text(user, "pid", "{}")).toList();
        assertThat(pids).doesNotHaveDuplicates();
        assertThat(users)
                .extracting(user -> backend.text(user, "env", "{\"name\":\"WHO\"}"))
                .containsExactly("first", "second", "third");

        var crash = backend.call(first, "raise", "{\"signal\":\"KILL\"}");

        assertThat(crash.text("outcome")).isEqualTo("failed");
        assertThat(crash.text("error/code")).isEqualTo("crashed");
        assertThat(fleet.records().lifecycle(first, "crashed").text("signal")).isEqualTo("SIGKILL");
        assertThat(backend.text(users.get(1), "pid", "{}")).isEqualTo(pids.get(1));
        assertThat(backend.text(users.get(2), "pid", "{}")).isEqualTo(pids.get(2));
    }

    @Test
    @DisplayName("PRO-72: only the process of the user whose configuration changed restarts")
    void separateUpdates() {
        var first = Installation.fixture("--old");
        var users = List.of(first, first.ofUser("second-user"), first.ofUser("third-user"));
        users.forEach(backend::install);
        var pids = users.stream().map(user -> backend.text(user, "pid", "{}")).toList();

        var changed = users.get(1).withArgs(Installation.fixture("--new").args());
        backend.result(backend.configure(changed, "mcp_installation_updated"));

        assertThat(backend.text(changed, "args", "{}")).isEqualTo("[\"--new\"]");
        assertThat(backend.text(changed, "pid", "{}")).isNotEqualTo(pids.get(1));
        assertThat(backend.text(users.get(0), "pid", "{}")).isEqualTo(pids.get(0));
        assertThat(backend.text(users.get(2), "pid", "{}")).isEqualTo(pids.get(2));
    }

    @Test
    @DisplayName("PRO-05, PRO-09: arguments in order, the environment and the worker's reach it")
    void argumentsAndEnvironment() {
        var f =
                Installation.fixture("--x", "a b", "; rm -rf /", "--", "ü\"'")
                        .withEnv("SPACED", "a b")
                        .withEnv("EMPTY", "");
        backend.install(f);

        assertThat(backend.text(f, "args", "{}"))
                .isEqualTo("[\"--x\",\"a b\",\"; rm -rf /\",\"--\",\"ü\\\"'\"]");
        assertThat(backend.text(f, "env", "{\"name\":\"SPACED\"}")).isEqualTo("a b");
        assertThat(backend.text(f, "env", "{}")).contains("\"EMPTY\":\"\"");
        assertThat(backend.text(f, "env", "{\"name\":\"PATH\"}")).isEqualTo(System.getenv("PATH"));
    }

    @Test
    @DisplayName("PRO-103, STA-14: cannot be reached by another user, of its team or of another")
    void foreignServer() {
        var f = backend.install(Installation.fixture());
        var pid = backend.text(f, "pid", "{}");
        var elsewhere = Installation.fixture();
        var ofAnotherTeam =
                new Installation(
                        f.serverSlug(),
                        f.installationId(),
                        elsewhere.teamId(),
                        f.userId(),
                        f.command(),
                        f.args(),
                        f.env(),
                        f.more());

        for (var stranger : List.of(f.ofUser("stranger"), ofAnotherTeam)) {
            var call =
                    backend.request(
                            stranger,
                            "echo",
                            "{\"message\":\"from a stranger\"}",
                            r -> r.put("installation_id", f.installationId()));
            assertThat(backend.answer(call).text("error/code")).isEqualTo("unknown_server");
            assertThat(backend.answer(call).text("error/message")).isNotEmpty();
            for (var type : List.of("restart", "kill")) {
                var order = backend.command(stranger, type, UnaryOperator.identity());
                assertThat(backend.result(order).text("outcome")).isEqualTo("failed");
            }
        }

        assertThat(backend.text(f, "pid", "{}")).isEqualTo(pid);
        assertThat(backend.text(f, "record", "{}")).doesNotContain("from a stranger");
    }
}
