package dev.perigee.console;

import static dev.perigee.console.ConsoleEvents.logs;
import static dev.perigee.console.ServedConsole.TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

final class ConsoleHandlerTest {
    @AutoClose private final ServedConsole console = new ServedConsole();

    @ParameterizedTest
    @ValueSource(
            strings = {"/console/", "/console/app.js", "/console/style.css", "/console/icon.svg"})
    void servesThePageUnderAStrictPolicy(String path) throws Exception {
        console.start(null, true);

        var response = console.get(path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    @Test
    void leadsToThePageAndNowhereElse() throws Exception {
        console.start(null, true);

        assertThat(console.get("/console").headers().firstValue("Location")).contains("console/");
        assertThat(console.get("/console/../../etc/passwd").statusCode()).isBetween(400, 404);
        assertThat(console.get("/console/Console.class").statusCode()).isEqualTo(404);
        assertThat(console.get("/consoles").statusCode()).isEqualTo(404);
        assertThat(console.send(console.request("/console/").DELETE()).statusCode()).isEqualTo(405);
        assertThat(console.send(console.request("/console/api/fleet").DELETE()).statusCode())
                .isEqualTo(405);
        assertThat(console.get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void readsNothingUntilSomebodyWatches() throws Exception {
        console.start(null, true);
        assertThat(console.get("/console/").statusCode()).isEqualTo(200);
        assertThat(console.get("/console/api/session").statusCode()).isEqualTo(200);
        assertThat(console.boards).isEmpty();

        assertThat(
                        ServedConsole.json(console.get("/console/api/instances"))
                                .get(0)
                                .get("process_id")
                                .asString())
                .isEqualTo("a");
        assertThat(
                        ServedConsole.json(console.get("/console/api/fleet"))
                                .get("gateway_id")
                                .asString())
                .isEqualTo("g1");
        assertThat(
                        ServedConsole.json(console.get("/console/api/instance?id=a"))
                                .at("/logs/entries/0/message")
                                .asString())
                .isEqualTo("<script>alert(1)</script>");
        assertThat(console.boards).hasSize(1);
    }

    @Test
    void showsNothingWithoutTheToken() throws Exception {
        console.start(TOKEN, true);

        for (var path : List.of("session", "fleet", "instances", "instance?id=a", "stream")) {
            var response = console.get("/console/api/" + path);
            assertThat(response.statusCode()).as(path).isEqualTo(401);
            assertThat(response.body()).doesNotContain("worker-1").contains("admin.token");
        }
        assertThat(console.boards).isEmpty();
        assertThat(
                        console.send(
                                        console.request("/console/api/fleet")
                                                .header("Authorization", "Bearer " + TOKEN))
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void isNotForOthersWhereThereIsNoToken() throws Exception {
        console.start(null, false);

        assertThat(console.get("/console/api/fleet").statusCode()).isEqualTo(403);
        assertThat(console.login("anything").statusCode()).isEqualTo(403);
    }

    @Test
    void letsABrowserInThatShowsTheToken() throws Exception {
        console.start(TOKEN, true);
        assertThat(console.login("wrong").statusCode()).isEqualTo(401);
        assertThat(console.login("wrong").headers().firstValue("Set-Cookie")).isEmpty();

        var cookie = console.login(TOKEN).headers().firstValue("Set-Cookie").orElseThrow();

        assertThat(cookie)
                .contains("HttpOnly", "SameSite=Strict", "Path=/console", "Max-Age=28800")
                .doesNotContain(TOKEN);
        var held = cookie.substring(0, cookie.indexOf(';'));
        assertThat(
                        console.send(console.request("/console/api/fleet").header("Cookie", held))
                                .statusCode())
                .isEqualTo(200);
        // The session is for the console only.
        assertThat(console.send(console.request("/metrics").header("Cookie", held)).statusCode())
                .isEqualTo(401);
        console.pass(LoginSessions.LIFETIME);
        assertThat(
                        console.send(console.request("/console/api/fleet").header("Cookie", held))
                                .statusCode())
                .isEqualTo(401);
    }

    @Test
    void forgetsABrowserThatLogsOut() throws Exception {
        console.start(TOKEN, true);
        var cookie = console.login(TOKEN).headers().firstValue("Set-Cookie").orElseThrow();
        var held = cookie.substring(0, cookie.indexOf(';'));

        var _ =
                console.send(
                        console.request("/console/api/logout")
                                .header("Cookie", held)
                                .POST(HttpRequest.BodyPublishers.noBody()));

        assertThat(
                        console.send(console.request("/console/api/fleet").header("Cookie", held))
                                .statusCode())
                .isEqualTo(401);
    }

    @Test
    void tellsWhatChangesAsItDoes() throws Exception {
        console.start(null, true);
        try (var stream = new Events("/console/api/stream?instance=a", null)) {
            var first = stream.next();
            assertThat(first.get("reset").asBoolean()).isTrue();
            assertThat(first.at("/instances/0/status").asString()).isEqualTo("online");
            assertThat(first.at("/detail/logs/entries").size()).isEqualTo(1);

            console.board().event(logs("a", 3, "live"), null, 3);
            var second = stream.next();
            assertThat(second.at("/detail/logs/entries/0/message").asString()).isEqualTo("live");
            assertThat(second.get("instances").size()).isZero();
        }
    }

    @Test
    void goesOnWhereABrowserWasCutOff() throws Exception {
        console.start(null, true);
        String cursor;
        try (var stream = new Events("/console/api/stream?instance=a", null)) {
            cursor = stream.next().get("cursor").asString();
        }
        console.board().event(logs("a", 3, "meanwhile"), null, 3);

        try (var stream = new Events("/console/api/stream?instance=a", cursor)) {
            var next = stream.next();
            assertThat(next.get("reset").asBoolean()).isFalse();
            assertThat(next.at("/detail/logs/entries").size()).isEqualTo(1);
            assertThat(next.at("/detail/logs/entries/0/message").asString()).isEqualTo("meanwhile");
        }
    }

    @Test
    void letsOnlySoManyWatchAndMakesRoomWhenOneGoes() throws Exception {
        console.start(null, true);
        try (var _ = new Events("/console/api/stream", null)) {
            try (var second = new Events("/console/api/stream", null)) {
                assertThat(second.next().get("reset").asBoolean()).isTrue();
                assertThat(console.get("/console/api/stream").statusCode()).isEqualTo(503);
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> console.get("/console/api/fleet").statusCode() == 200);
        }
    }

    /** Reads server-sent events as a browser does. */
    private final class Events implements AutoCloseable {
        private final HttpClient own = HttpClient.newHttpClient();
        private final BufferedReader lines;

        Events(String path, @Nullable String lastEventId) throws Exception {
            var request = console.request(path);
            if (lastEventId != null) {
                request.header("Last-Event-ID", lastEventId);
            }
            var response = own.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
        }

        JsonNode next() throws Exception {
            while (true) {
                var line = lines.readLine();
                assertThat(line).as("the stream goes on").isNotNull();
                if (line.startsWith("data: ")) {
                    return Json.tree(line.substring(6).getBytes(UTF_8));
                }
            }
        }

        @Override
        public void close() throws IOException {
            own.shutdownNow();
            lines.close();
        }
    }
}
