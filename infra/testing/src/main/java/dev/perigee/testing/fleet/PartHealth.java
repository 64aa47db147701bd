package dev.perigee.testing.fleet;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Health of a part by its admin pages; a part that does not answer is not ready. */
public record PartHealth(int code, String body) {
    private static final int TIMEOUT_MS = Math.toIntExact(Duration.ofSeconds(5).toMillis());

    /** Asks whether a part is ready. */
    public static PartHealth of(Part part) {
        return page(part, "/health/ready");
    }

    /** Asks whether a part is alive. */
    public static PartHealth live(Part part) {
        return page(part, "/health/live");
    }

    /** What a part's page of metrics says; empty for one that does not answer. */
    public static String metrics(Part part) {
        var page = page(part, "/metrics");
        return page.code() == HttpURLConnection.HTTP_OK ? page.body() : "";
    }

    public boolean isReady() {
        return code == HttpURLConnection.HTTP_OK;
    }

    /** The parts that are not ready, as the page names them; the error where there is no page. */
    public List<String> obstacles() {
        if (code == 0) {
            return List.of(body);
        }
        return Json.tree(body.getBytes(StandardCharsets.UTF_8))
                .path("obstacles")
                .valueStream()
                .map(obstacle -> obstacle.path("part").asString())
                .toList();
    }

    private static PartHealth page(Part part, String path) {
        try {
            var connection =
                    (HttpURLConnection)
                            URI.create(part.field("admin") + path).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            int code = connection.getResponseCode();
            try (var body =
                    code < HttpURLConnection.HTTP_BAD_REQUEST
                            ? connection.getInputStream()
                            : connection.getErrorStream()) {
                return new PartHealth(
                        code, new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            return new PartHealth(0, e.toString());
        }
    }
}
