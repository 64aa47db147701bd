package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.RawJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("CAL-20: a response of a door")
final class DoorResponseTest {
    private static final Send NOTE =
            Send.note(null, Messages.notification("notifications/message", Map.of()));

    private static final int LARGE = 64 << 20;

    private final MessageStream messages =
            new MessageStream(new Places(2 * LARGE, 2 * LARGE).none("u1"));
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);
    private final HttpClient http = HttpClient.newHttpClient();

    /** Answers with the messages, to somebody who may not be answered any more. */
    private final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            try {
                new DoorResponse(response, messages, Duration.ofHours(1), () -> false)
                        .reply(_ -> 200);
                callback.succeeded();
            } catch (IOException e) {
                callback.failed(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                callback.failed(e);
            }
            return true;
        }
    }

    @BeforeEach
    void start() throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Answering());
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
        http.close();
    }

    private HttpRequest request() {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/"))
                .build();
    }

    @Test
    @Timeout(120)
    @DisplayName("ends when its token has gone, however busy it is")
    void busy() throws Exception {
        messages.add(NOTE);
        var response = http.send(request(), BodyHandlers.ofInputStream());

        try (var lines =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("data:")) {
                    messages.add(NOTE); // So that there is always a next one.
                }
            }
        }
    }

    @Test
    @Timeout(120)
    @DisplayName("breaks off within a message that its client reads slowly")
    void slow() throws Exception {
        var large = new byte[LARGE]; // More than sockets hold.
        Arrays.fill(large, (byte) '1');
        messages.add(Send.reply(RawJson.of("1"), RawJson.ofBytes(large)));

        try (var body = http.send(request(), BodyHandlers.ofInputStream()).body()) {
            Thread.sleep(DoorResponse.ALIVE.plusMillis(100)); // For so long its clock is not asked.

            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> body.transferTo(OutputStream.nullOutputStream()));
        }
    }

    @Test
    @DisplayName("has no message where its request was cancelled, and the reply where there is one")
    void ends() throws Exception {
        messages.end();
        var cancelled = http.send(request(), BodyHandlers.ofString());
        assertThat(cancelled.statusCode()).isEqualTo(200);
        assertThat(cancelled.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(cancelled.body()).doesNotContain("data:");

        messages.add(Send.reply(RawJson.of("1"), RawJson.of("{\"id\":1}")));
        assertThat(http.send(request(), BodyHandlers.ofString()))
                .extracting(HttpResponse::body)
                .asString()
                .contains("{\"id\":1}");
    }
}
