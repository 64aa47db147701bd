package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.node.JsonNodeFactory;

/** Users' servers that use up what they can, in a fleet with one worker, and one that does not. */
record HostileServers(FleetUnderTest fleet) {
    /** Low enough to be reached soon; memory's is the default. */
    static final Map<String, String> LIMITS =
            Map.of(
                    "isolation.max-processes", "200",
                    "isolation.total-cpu-time", "5s",
                    "isolation.disk", "10MiB",
                    "isolation.disk-files", "500",
                    "isolation.disk-io", "40MiB",
                    "restart.delays", "1h");

    /** A server of Python's, such as those of this class. */
    static Installation server(String slug) {
        return Installation.of(
                        "p-" + slug, Fixtures.PYTHON, List.of(Fixtures.pythonScript().toString()))
                .with("runtime", "python");
    }

    /**
     * Has a server do something hostile. It alone is ended, its event and its status say by which
     * limit, and a neighbour answers before and after it.
     *
     * @param attacker installed
     * @param neighbour installed
     * @param deed and arguments, of {@code hostile.py}
     */
    void assertEnds(String limit, Installation attacker, Installation neighbour, String... deed) {
        assertEnd(List.of(new Attack(limit, attacker, List.of(deed))), neighbour);
    }

    /** What a server does, and by which limit it is to be ended. */
    record Attack(String limit, Installation attacker, List<String> deed) {}

    /** The same of several at a time. */
    void assertEnd(List<Attack> attacks, Installation neighbour) {
        answers(neighbour);
        attacks.forEach(attack -> request(attack.attacker(), attack.deed()));
        attacks.forEach(attack -> assertEnded(attack.limit(), attack.attacker()));
        answers(neighbour);
    }

    private void assertEnded(String limit, Installation attacker) {
        var crashed = fleet.records().lifecycle(attacker, "crashed");
        assertThat(crashed.text("limit")).as("%s", crashed).isEqualTo(limit);
        fleet.records()
                .await(
                        Topic.STATUS,
                        "status after " + limit,
                        r ->
                                r.key().equals(attacker.processId())
                                        && r.json().toString().contains("ended by a limit: it"));
    }

    /** It still runs, and has never ended. */
    private void answers(Installation neighbour) {
        assertThat(fleet.backend().text(neighbour, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        assertThat(fleet.records().on(Topic.LIFECYCLE))
                .filteredOn(r -> r.key().equals(neighbour.processId()))
                .noneMatch(r -> r.text("event").equals("mcp.server.crashed"));
    }

    private void request(Installation attacker, List<String> deed) {
        var arguments = JsonNodeFactory.instance.objectNode().put("program", program());
        var words = arguments.putArray("words").add(deed.getFirst()).add("token");
        deed.stream().skip(1).forEach(words::add);
        fleet.backend()
                .request(
                        attacker, "run", new String(Json.write(arguments), StandardCharsets.UTF_8));
    }

    private static String program() {
        try (var text = HostileServers.class.getResourceAsStream("/hostile.py")) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
