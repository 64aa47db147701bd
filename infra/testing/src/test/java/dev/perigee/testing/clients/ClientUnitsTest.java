package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("DEP-03: the clients for other languages")
final class ClientUnitsTest {

    @TempDir private Path folder;

    @Test
    @DisplayName("agree with Kafka's Java client about partitions: their vectors are its own")
    void partitions() throws IOException {
        var vectors =
                Json.tree(
                        Files.readAllBytes(
                                Checkout.root().resolve("infra/clients/partitions.json")));

        assertThat(vectors).hasSizeGreaterThan(60);
        for (var each : vectors) {
            var key = each.get("team_id").asString() + "/" + each.get("user_id").asString();
            int hash = Utils.murmur2(key.getBytes(StandardCharsets.UTF_8));
            assertThat(Utils.toPositive(hash) % each.get("partitions").asInt())
                    .as(key)
                    .isEqualTo(each.get("partition").asInt());
        }
    }

    @Test
    @DisplayName("in TypeScript pass their own tests")
    void typescript() throws Exception {
        try (var tests =
                ClientProgram.node(
                        folder.resolve("out"),
                        "--test",
                        "--test-reporter=tap",
                        "--test-concurrency=4")) {
            assertThat(tests.succeed()).contains("# fail 0").doesNotContain("# pass 0");
        }
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("in Python pass their own tests")
    void python() throws Exception {
        try (var tests =
                ClientProgram.python(
                        folder.resolve("out"), "-m", "unittest", "discover", "-s", "tests")) {
            assertThat(tests.succeed()).contains("OK").doesNotContain("Ran 0 tests");
        }
    }
}
