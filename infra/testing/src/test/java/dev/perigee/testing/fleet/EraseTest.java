package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("OPS-14: a user is erased from the topics of a running fleet")
@ExtendWith(SharedFleet.class)
final class EraseTest {
    private static final String HI = "{\"message\":\"hi\"}";

    private final FleetUnderTest fleet;
    private final Backend backend;

    EraseTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    private record Run(int exitCode, String out, String err) {
        /** The current records of a topic that hold the user, by topic. */
        Map<String, Long> of(String field) {
            var found = new TreeMap<String, Long>();
            var json = new JsonMapper();
            out.lines()
                    .map(json::readTree)
                    .filter(row -> row.has("read"))
                    .forEach(row -> found.put(topic(row), row.path(field).asLong()));
            return found;
        }

        private static String topic(JsonNode row) {
            return row.path("topic").asString().replace("mcp.", "");
        }
    }

    private Run erase(String... arguments) {
        var all = new ArrayList<>(List.of("erase", "--bootstrap", fleet.bootstrap()));
        all.addAll(List.of("--output", "json"));
        all.addAll(List.of(arguments));
        var ran = InProcessRun.here(all);
        return new Run(ran.exitCode(), ran.out(), ran.err());
    }

    @Test
    @DisplayName("with both servers, while a colleague whose id begins so works on")
    void erases() {
        var first = backend.install(Installation.fixture());
        var second = backend.install(first.as("g-server", first.installationId() + "-g"));
        var colleague = backend.install(first.ofUser(first.userId() + "0"));
        backend.text(first, "echo", HI);
        backend.text(second, "echo", HI);
        backend.text(colleague, "echo", HI);
        var user = first.userId();

        var looked = erase(user);
        assertThat(looked.exitCode()).as(looked.err()).isZero();
        assertThat(looked.of("records"))
                .containsEntry("commands", 2L)
                .containsEntry("tool-requests", 2L)
                .containsEntry("tool-results", 2L)
                .containsEntry("command-results", 4L);
        assertThat(looked.of("current"))
                .containsEntry("status", 2L)
                .containsEntry("tools", 2L)
                .containsEntry("catalog", 2L);
        assertThat(looked.of("current").get("state")).isGreaterThanOrEqualTo(2);

        var erased = erase(user, "--team", first.teamId(), "--yes");

        assertThat(erased.exitCode()).as(erased.err()).isZero();
        assertThat(erased.of("current"))
                .containsEntry("status", 0L)
                .containsEntry("tools", 0L)
                .containsEntry("catalog", 0L)
                .containsEntry("state", 0L);
        assertThat(erased.of("records")).containsEntry("commands", 3L);
        assertThat(backend.call(first, "echo", HI).text("error/code")).isEqualTo("unknown_server");
        backend.text(colleague, "echo", HI);
        assertThat(erase(colleague.userId()).of("current"))
                .containsEntry("status", 1L)
                .containsEntry("catalog", 1L);

        var again = erase(user, "--yes");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(erase(user, "--check").exitCode()).isEqualTo(1);
        assertThat(erase("nobody", "--check").exitCode()).isZero();
    }
}
