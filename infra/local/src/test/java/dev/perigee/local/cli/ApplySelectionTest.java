package dev.perigee.local.cli;

import static dev.perigee.local.cli.ScriptedRecords.TIME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("OPS-10: perigee apply")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ApplySelectionTest {
    private static final String SECRET = "s3cret";

    /** The installations for which a command came. */
    private final List<String> applied = new CopyOnWriteArrayList<>();

    private ScriptedGateway gateway;
    private String file;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway =
                ScriptedGateway.withBroker(
                        data, (_, value) -> toCommand(Json.read(value, Command.class)));
        var lines = new ArrayList<String>();
        for (int i = 1; i <= 5; i++) {
            lines.add(config(i < 4 ? "t1" : "t2", "u" + i, "i" + i));
        }
        file = Files.write(data.resolve("servers.jsonl"), lines).toString();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @BeforeEach
    void forget() {
        applied.clear();
    }

    private static String config(String team, String user, String installation) {
        return """
               {"installation_id":"%s","server_slug":"orders","team_id":"%s","team_slug":"t",\
               "user_id":"%s","user_slug":"u","transport_type":"stdio","command":"node",\
               "env":{"TOKEN":"%s"}}"""
                .formatted(installation, team, user, SECRET);
    }

    private List<Answer> toCommand(Command command) {
        var config = Objects.requireNonNull(command.payload().config());
        applied.add(config.installationId());
        var status =
                config.installationId().equals("i1") || config.installationId().equals("i2")
                        ? ServerStatus.ERROR
                        : ServerStatus.ONLINE;
        return List.of(Answer.completed(command, CommandDetails.status(status, null), TIME));
    }

    private CliRun run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--bootstrap", gateway.connection().bootstrap()));
        return CliRun.of(all.toArray(String[]::new));
    }

    @Test
    @DisplayName("shows what it would send of a file, and no secret")
    void showsDry() {
        for (var format : List.of("table", "json")) {
            var run = run("apply", file, "--team", "t2", "--dry-run", "--output", format);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("i4", "i5", "orders").doesNotContain("i3", SECRET);
        }
        assertThat(run("apply", file, "--user", "u9").err()).contains("No command is selected");
        assertThat(run("apply", file, "--rate", "0").exitCode()).isEqualTo(64);
        assertThat(applied).isEmpty();
    }

    @Test
    @DisplayName("sends at a rate, and ends where none of a time came right")
    void sendsAtARate() {
        var failing = run("apply", file, "--rate", "2");
        assertThat(failing.exitCode()).isEqualTo(1);
        assertThat(failing.err()).contains("3 more are left as they are");
        assertThat(applied).containsExactly("i1", "i2");

        applied.clear();
        var fine = run("apply", file, "--rate", "1", "--team", "t2");
        assertThat(fine.exitCode()).as(fine.err()).isZero();
        assertThat(applied).containsExactly("i4", "i5");
    }

    @Test
    @DisplayName("sends of a file only what is installed and has such a status")
    void sendsWhatIsSelected() {
        for (var user : List.of("u3", "u4")) {
            var origin =
                    new EventOrigin(
                            "p-" + user,
                            null,
                            "i" + user.charAt(1),
                            null,
                            "orders",
                            user.equals("u3") ? "t1" : "t2",
                            user,
                            "worker-1",
                            1,
                            TIME);
            var status = user.equals("u3") ? ServerStatus.ERROR : ServerStatus.ONLINE;
            var body = new StatusChanged(status, null, null, null);
            gateway.publish(new Answer(Topic.STATUS, "p-" + user, Event.of(origin, body)));
        }
        gateway.flush();

        var run = run("apply", file, "--server", "orders", "--status", "error");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(applied).containsExactly("i3");
    }
}
