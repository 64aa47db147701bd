package dev.perigee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The fleet that the page's example has, too, with one instance for all tests. */
@PerigeeTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The fleet of all classes with @PerigeeTest")
final class SharedPerigeeFleetTest {
    private final String address;

    SharedPerigeeFleetTest(PerigeeFleet fleet) {
        address = fleet.bootstrap();
    }

    @Test
    @DisplayName("gives its address, its topics, a client and itself")
    void gives(
            @BootstrapServers String bootstrap,
            KafkaConnection connection,
            PerigeeClient client,
            PerigeeFleet fleet) {
        assertThat(bootstrap).startsWith("127.0.0.1:").isEqualTo(fleet.bootstrap());
        assertThat(address).isEqualTo(bootstrap);
        assertThat(connection).isEqualTo(fleet.connection());
        assertThat(client).isSameAs(fleet.client());
        assertThat(fleet).isSameAs(PerigeeFleet.shared());
    }

    @Test
    @DisplayName("has none of its parts killed")
    void isNotKilled(PerigeeFleet fleet) {
        assertThatThrownBy(() -> fleet.kill("worker-1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one of your own");
    }

    @Test
    @DisplayName("says why a server is not online")
    void saysWhy(PerigeeFleet fleet) {
        assertThatThrownBy(() -> fleet.install("gone", List.of("/no/such/program")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not online")
                .hasMessageContaining("/no/such/program");
    }

    @Test
    @DisplayName("runs the example of the page, word for word")
    void isThatOfThePage() throws Exception {
        var example = Files.readString(Path.of("src/test/java/example/GreetingTest.java"));

        assertThat(Path.of("../../docs/integration.md"))
                .content()
                .contains("```java\n" + example + "```");
        assertThat(example.lines().count()).isLessThanOrEqualTo(25);
    }
}
