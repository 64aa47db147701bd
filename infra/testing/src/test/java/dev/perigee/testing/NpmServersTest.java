package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The reference servers from npm are installed and answer")
final class NpmServersTest {

    @ParameterizedTest
    @ValueSource(strings = {"everything", "filesystem", "memory", "sequential-thinking"})
    void answersOverPipes(String name) throws Exception {
        var args = new ArrayList<>(List.of(NpmServers.installed().entry(name).toString()));
        if (name.equals("filesystem")) {
            args.add(Checkout.testing("fixtures").toString());
        }
        try (var server = PipedServer.start(args)) {
            assertThat(server.handshake().at("/result/serverInfo/name").asString()).isNotEmpty();
            assertThat(server.call("tools/list", "{}").at("/result/tools").size()).isPositive();
        }
    }

    @Test
    void explainsAnUnknownServer() {
        assertThatThrownBy(() -> NpmServers.installed().entry("nothing"))
                .hasMessageContaining("package.json");
    }
}
