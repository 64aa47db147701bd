package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** A real container around a real worker, whose servers are in real jails. */
@DisplayName("A worker in a container, restricted as the compose file has it,")
@NeedsProgram({Program.RUNC, Program.BUBBLEWRAP, Program.PYTHON})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ContainedWorkerTest {
    private static final String SECRET = "of-the-victim-alone";
    private static final String KEEP =
            "import os; open(os.environ['HOME'] + '/notes', 'w').write(os.environ['KEY'])";
    private static final String LOOK =
            "import os; home = os.environ['HOME'];"
                    + " print(os.listdir(home), open(home + '/notes').read())";

    /** A process's own command and mounts name its own home. */
    private static final Pattern OWN = Pattern.compile("^/proc/\\d+/(cmdline|environ|maps) ");

    @TempDir private static Path directory;
    private FleetUnderTest fleet;
    private ContainedFleet contained;

    @BeforeAll
    void start() throws Exception {
        contained =
                ContainedFleet.start(
                        "contained",
                        directory,
                        Compose.read().at("/services/worker-1"),
                        Map.of(),
                        List.of(Fixtures.script(), Fixtures.pythonScript()));
        fleet = contained.fleet();
    }

    @AfterAll
    void end() {
        if (contained != null) {
            contained.close();
        }
    }

    private Installation install(Installation wanted) {
        return contained.install(wanted);
    }

    @Test
    @DisplayName("TEN-13: makes jails under a profile of its own, with nothing else to write to")
    void serves() {
        var f = install(Installation.fixture());

        assertThat(fleet.backend().text(f, "echo", "{\"message\":\"hi\"}")).isEqualTo("hi");
        assertThat(fleet.backend().text(f, "pid", "{}")).isEqualTo("2");
    }

    @Test
    @DisplayName(
            "TEN-21: says what a container does not let it enforce, as documented, and no more")
    void saysWhatDoesNotHold() throws IOException {
        var heartbeat = fleet.records().await(Topic.HEARTBEATS, "heartbeat", r -> true);

        var parts = heartbeat.text("isolation").split("; not enforced: ", -1);
        assertThat(parts).hasSize(2).startsWith("bubblewrap");
        var gaps =
                Stream.of(parts[1].split("; "))
                        .map(gap -> gap.split("[,:]| for more than ")[0])
                        .toList();
        assertThat(gaps)
                .contains("an identity for each server", "memory by control groups")
                .isSubsetOf(
                        "an identity for each server",
                        "a part of inotify",
                        "memory by control groups");
        var page = Files.readString(Checkout.root().resolve("docs/security.md"));
        assertThat(page).contains(gaps);
    }

    @Test
    @DisplayName(
            "TEN-21, TEN-01: keeps users apart, of one team and of others, and from its system")
    void keepsUsersApart() throws IOException {
        var alice = python("a").withEnv("KEY", SECRET);
        install(alice);
        run(alice, KEEP);
        var home =
                "/mcp-cache/homes/%s/%s/%s/python"
                        .formatted(alice.teamId(), alice.userId(), alice.installationId());

        var bob = install(alice.withEnv("KEY", "of bob").ofUser("bob"));
        var other = install(alice.withEnv("KEY", "other").as("p-other", "other"));
        var stranger = install(python("stranger"));
        for (var attacker : List.of(bob, other, stranger)) {
            var told =
                    run(
                            attacker,
                            hostile("/hostile_tenant.py"),
                            "reach",
                            "t",
                            home + "/notes",
                            home);
            assertThat(told).as(attacker.key()).endsWith("END\n").doesNotContain(SECRET);
            assertThat(told.lines().filter(line -> line.contains("/mcp-cache")))
                    .as(attacker.key())
                    .isNotEmpty()
                    .noneMatch(line -> line.contains(" DONE") && !OWN.matcher(line).find());
        }
        assertThat(run(alice, LOOK)).isEqualTo("['notes'] " + SECRET + "\n");

        for (var probe : List.of("privileges", "nested", "first", "terminals")) {
            assertThat(run(bob, hostile("/hostile.py"), probe, "token").lines())
                    .as(probe)
                    .isNotEmpty()
                    .noneMatch(line -> line.contains(" done"));
        }
        assertThat(run(bob, hostile("/hostile.py"), "processes", "token").lines())
                .as("the worker and others")
                .hasSize(3);
    }

    private static Installation python(String slug) {
        return Installation.of(
                        "p-" + slug, Fixtures.PYTHON, List.of(Fixtures.pythonScript().toString()))
                .with("runtime", "python");
    }

    private String run(Installation server, String program, String... words) {
        var arguments = JsonNodeFactory.instance.objectNode().put("program", program);
        Stream.of(words).forEach(arguments.putArray("words")::add);
        return fleet.backend()
                .text(server, "run", new String(Json.write(arguments), StandardCharsets.UTF_8));
    }

    private static String hostile(String name) throws IOException {
        try (var text = ContainedWorkerTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
