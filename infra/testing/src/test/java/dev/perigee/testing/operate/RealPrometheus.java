package dev.perigee.testing.operate;

import dev.perigee.faults.Program;
import dev.perigee.local.port.FreePort;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Debian's Prometheus, reading parts of a fleet every second and evaluating the alerts. */
final class RealPrometheus implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private final Process process;
    private final URI uri;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private RealPrometheus(Process process, URI uri) {
        this.process = process;
        this.uri = uri;
    }

    /** Reads parts at fixed addresses, and evaluates the alerts as they are. */
    static RealPrometheus start(Path directory, Map<String, String> targetsByJob)
            throws IOException {
        var jobs = new StringBuilder();
        targetsByJob.forEach((job, target) -> jobs.append(scrape(job, target)));
        return start(directory, MonitoringRules.ALERTS, jobs.toString());
    }

    /**
     * Reads the parts that a file names as they come and go, each with the labels that it has
     * there.
     *
     * @param targets in Prometheus' format, read again when it is replaced
     */
    static RealPrometheus discovering(Path directory, Path rules, Path targets) throws IOException {
        var jobs =
                """
                 - job_name: parts
                   file_sd_configs:
                     - files: ['%s']
                       refresh_interval: 1s
                """
                        .formatted(targets);
        return start(directory, rules, jobs);
    }

    private static RealPrometheus start(Path directory, Path rules, String jobs)
            throws IOException {
        var config =
                """
                global:
                  scrape_interval: 1s
                  evaluation_interval: 1s
                rule_files: [%s]
                scrape_configs:
                %s"""
                        .formatted(rules, jobs);
        var file = Files.writeString(directory.resolve("prometheus.yaml"), config);
        int port = FreePort.on(HOST);
        var process =
                new ProcessBuilder(
                                Program.PROMETHEUS.path().toString(),
                                "--config.file=" + file,
                                "--storage.tsdb.path=" + directory.resolve("data"),
                                "--web.listen-address=" + HOST + ":" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log").toFile())
                        .start();
        return new RealPrometheus(process, URI.create("http://" + HOST + ":" + port));
    }

    private static String scrape(String job, String target) {
        return """
                 - job_name: %s
                   static_configs:
                     - targets: ['%s']
               """
                .formatted(job, target);
    }

    /** The series of an expression now, as a dashboard would ask for them. */
    List<JsonNode> query(String expression) throws IOException, InterruptedException {
        var asked = expression.replace("$__rate_interval", "10s");
        var path = "/api/v1/query?query=" + URLEncoder.encode(asked, StandardCharsets.UTF_8);
        return MonitoringRules.list(get(path).at("/data/result"));
    }

    /** How many rules were evaluated, by how that went. */
    Map<String, Integer> rulesByHealth() throws IOException, InterruptedException {
        var healths = new TreeMap<String, Integer>();
        for (var rule : MonitoringRules.list(get("/api/v1/rules").at("/data/groups/0/rules"))) {
            healths.merge(rule.path("health").asString(), 1, Integer::sum);
        }
        return healths;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(uri.resolve(path)).timeout(Duration.ofSeconds(10)).build();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() == HttpURLConnection.HTTP_UNAVAILABLE) {
            throw new IOException("Prometheus does not serve yet"); // It reads its data first.
        }
        var body = new JsonMapper().readTree(answer.body());
        if (!body.path("status").asString().equals("success")) {
            throw new AssertionError(path + ": " + body);
        }
        return body;
    }

    @Override
    public void close() {
        http.close();
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
