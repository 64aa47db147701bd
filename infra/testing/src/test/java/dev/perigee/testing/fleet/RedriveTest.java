package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

@DisplayName("A dead letter that was edited and put back is acted on")
@ExtendWith(SharedFleet.class)
final class RedriveTest {

    private final FleetUnderTest fleet;
    private final Backend backend;

    RedriveTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    void aMalformedCommandCompletesWithAnEdit(@TempDir Path directory) throws Exception {
        var f = Installation.fixture();
        var sent =
                backend.send(
                        Topic.COMMANDS,
                        f.key(),
                        "{\"id\": cut off".getBytes(StandardCharsets.UTF_8));
        var origin = fleet.records().deadLetter(sent).header("perigee-origin");
        var command = JsonNodeFactory.instance.objectNode();
        command.put("id", "redriven-" + f.userId()).put("command_type", "configure");
        command.putObject("payload")
                .put("event", "mcp_installation_created")
                .set("config", f.config());
        var patch = Files.write(directory.resolve("patch.json"), Json.write(command));

        var redrive =
                fleet.start(
                        "redrive",
                        List.of(
                                "redrive",
                                "--bootstrap",
                                fleet.bootstrap(),
                                "--offset",
                                origin,
                                "--edit",
                                patch.toString()));

        assertThat(redrive.awaitExit()).as(redrive.output()).isZero();
        var result = backend.result("redriven-" + f.userId());
        assertThat(result.text("outcome")).isEqualTo("completed");
        assertThat(result.text("result/resulting_status")).isEqualTo("online");
        assertThat(backend.text(f, "echo", "{\"message\":\"back\"}")).isEqualTo("back");
    }
}
