package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("RES-25: A worker speaks only to who has the token")
@ExtendWith(SharedFleet.class)
final class LinkTokenTest {

    private final FleetUnderTest fleet;

    LinkTokenTest(FleetUnderTest fleet) {
        this.fleet = fleet;
    }

    @Test
    void withoutToken() {
        refused(UnaryOperator.identity());
    }

    @Test
    void wrongToken() {
        refused(builder -> builder.header("Authorization", "Bearer not-" + FleetUnderTest.TOKEN));
    }

    @Test
    void rightToken() {
        try (var client = HttpClient.newHttpClient()) {
            var socket =
                    connect(
                            client,
                            builder ->
                                    builder.header(
                                            "Authorization", "Bearer " + FleetUnderTest.TOKEN));
            assertThat(socket.isOutputClosed()).isFalse();
            socket.abort();
        }
    }

    private void refused(UnaryOperator<WebSocket.Builder> headers) {
        try (var client = HttpClient.newHttpClient()) {
            assertThatThrownBy(() -> connect(client, headers))
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            WebSocketHandshakeException.class,
                            e -> assertThat(e.getResponse().statusCode()).isEqualTo(401));
        }
        assertThat(fleet.part("worker-1").alive()).isTrue();
    }

    private WebSocket connect(HttpClient client, UnaryOperator<WebSocket.Builder> headers) {
        var link = URI.create(fleet.part("worker-1").field("link"));
        return headers.apply(client.newWebSocketBuilder())
                .buildAsync(link, new WebSocket.Listener() {})
                .join();
    }
}
