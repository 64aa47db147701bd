package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.Gateway;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Installation;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A topic that is deleted and made again")
final class TopicsMadeAgainTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int BEFORE = 20;

    /** Calls that nobody answers end soon, so that the test sees it. */
    private static final Map<String, String> SETTINGS = Map.of("request.timeout", "20s");

    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation installation = Installation.of("echo", "node", List.of());

    @ParameterizedTest(name = "{0} calls at once")
    @ValueSource(ints = {1, 2 * BEFORE})
    @SuppressWarnings("try") // The gateway leaves before the fleet does.
    @DisplayName("OWN-10 is said and read again: requests")
    void requests(int atOnce) throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var gateway = test.start("a", SETTINGS)) {
            test.backend.install(installation);
            for (int i = 0; i < BEFORE; i++) {
                assertThat(call(test, installation)).isEqualTo("success");
            }

            test.deleteTopic(Topic.TOOL_REQUESTS.suffix());
            test.createTopics();
            var ids = test.backend.flood(installation, "echo", "{}", atOnce);

            awaitSaid(gateway);
            test.backend
                    .answers(ids)
                    .forEach(answer -> assertThat(answer.text("outcome")).isEqualTo("success"));
            assertThat(call(test, installation)).isEqualTo("success");
            try (var _ = test.start("b", SETTINGS)) {
                gateway.close();
                assertThat(call(test, installation)).isEqualTo("success");
            }
        }
    }

    @Test
    @DisplayName("OWN-10 is said and read again: commands")
    void commands() throws Exception {
        try (var test = new GatewayUnderTest(broker.bootstrap());
                var gateway = test.start("a", SETTINGS)) {
            for (int i = 0; i < BEFORE; i++) {
                test.backend.install(Installation.of("echo", "node", List.of()));
            }
            test.backend.install(installation);

            test.deleteTopic(Topic.COMMANDS.suffix());
            test.createTopics();

            var other = test.backend.install(Installation.of("echo", "node", List.of()));
            awaitSaid(gateway);
            assertThat(call(test, other)).isEqualTo("success");
            assertThat(call(test, installation)).isEqualTo("success");
            assertThat(test.backend.uninstall(installation).text("outcome")).isEqualTo("completed");
        }
    }

    private static String call(GatewayUnderTest test, Installation user) {
        return test.backend.call(user, "echo", "{}").text("outcome");
    }

    private static void awaitSaid(Gateway gateway) {
        await().atMost(PATIENCE)
                .pollInterval(100, TimeUnit.MILLISECONDS)
                .until(() -> page(gateway).contains("made again"));
        assertThat(gateway.metrics().get("perigee.gateway.topics.replaced").counter().count())
                .isEqualTo(1);
    }

    private static String page(Gateway gateway) throws Exception {
        var page = URI.create(gateway.adminUri() + "/health/ready");
        try (var client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
                    .body();
        }
    }
}
