package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.node.JsonNodeFactory;

/** All that a fleet writes about a server that has its secrets as arguments, and prints them. */
@DisplayName("A server with secrets among its arguments")
@ExtendWith(SharedFleet.class)
final class MaskedArgumentsTest {
    private final FleetUnderTest fleet;
    private final Backend backend;

    MaskedArgumentsTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @Test
    @DisplayName("TEN-19: has them on no topic and in no log, though it prints them")
    void showsThemNowhere() {
        var header = secret();
        var password = secret();
        var parameter = secret();
        var said = "found %s, %s and %s".formatted(header, password, parameter);
        var server =
                Installation.fixture(
                        "--header",
                        "Authorization: Bearer " + header,
                        "https://alice:%s@db.example/x".formatted(password),
                        "--url",
                        "https://h.example/p?api_key=" + parameter);
        backend.install(server);

        var text = JsonNodeFactory.instance.objectNode().put("text", said);
        backend.text(server, "stderr", new String(Json.write(text), StandardCharsets.UTF_8));
        fleet.records()
                .await(
                        Topic.LOGS,
                        "the line, masked",
                        r -> r.json().toString().contains("found ***, *** and ***"));
        backend.text(server, "echo", "{\"message\":\"hi\"}");
        fleet.records()
                .await(
                        Topic.REQUEST_LOGS,
                        "request logs",
                        r -> r.json().toString().contains(server.processId()));
        backend.uninstall(server);

        var secrets = List.of(header, password, parameter);
        assertThat(fleet.records().matching(r -> shows(r.json().toString(), secrets))).isEmpty();
        for (var part : List.of("gateway-1", "worker-1", "worker-2")) {
            assertThat(shows(fleet.part(part).output(), secrets)).as(part).isFalse();
        }
    }

    private static boolean shows(String text, List<String> secrets) {
        return secrets.stream().anyMatch(text::contains);
    }

    private static String secret() {
        return "s3cret-" + UUID.randomUUID();
    }
}
