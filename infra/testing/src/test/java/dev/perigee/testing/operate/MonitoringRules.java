package dev.perigee.testing.operate;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The dashboards and alerts of the checkout. */
final class MonitoringRules {
    static final Path ALERTS = Checkout.root().resolve("infra/dashboards/prometheus/alerts.yaml");
    private static final Path DASHBOARDS = Checkout.root().resolve("infra/dashboards/grafana");

    private MonitoringRules() {}

    /** An expression and where it stands, for people. */
    record Query(String where, String expression) {}

    static List<JsonNode> alerts() {
        return list(new YAMLMapper().readTree(ALERTS.toFile()).at("/groups/0/rules"));
    }

    static List<JsonNode> dashboards() {
        try (var files = Files.list(DASHBOARDS)) {
            return files.sorted().map(file -> new JsonMapper().readTree(file.toFile())).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Query> ofPanels() {
        var queries = new ArrayList<Query>();
        for (var board : dashboards()) {
            for (var panel : list(board.path("panels"))) {
                for (var target : list(panel.path("targets"))) {
                    queries.add(
                            new Query(
                                    board.path("title").asString()
                                            + " / "
                                            + panel.path("title").asString(),
                                    target.path("expr").asString()));
                }
            }
        }
        return queries;
    }

    static List<Query> ofAlerts() {
        return alerts().stream()
                .map(it -> new Query(it.path("alert").asString(), it.path("expr").asString()))
                .toList();
    }

    static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
