package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What tests of statuses ask of a fleet: the statuses of an instance, its tools, its debug page.
 */
final class Watch {
    private final FleetUnderTest fleet;
    private final Backend backend;

    Watch(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    /** The events that told the instance's statuses so far. */
    List<Received> told(Installation installation) {
        return fleet.records().on(Topic.STATUS).stream()
                .filter(r -> r.key().equals(installation.processId()) && !r.isTombstone())
                .toList();
    }

    /** The statuses told so far. */
    List<String> statuses(Installation installation) {
        return told(installation).stream().map(r -> r.text("status")).toList();
    }

    /** Waits until one more status was told than these, which it gives. */
    Received next(Installation installation, int known) {
        return fleet.records()
                .await(
                        Topic.STATUS,
                        "status " + (known + 1) + " of " + installation.processId(),
                        known + 1,
                        r -> r.key().equals(installation.processId()) && !r.isTombstone(),
                        Records.PATIENCE)
                .getLast();
    }

    /** Waits for the statuses that follow the known ones; fails on any other. */
    void follows(Installation installation, int known, String... expected) {
        next(installation, known + expected.length - 1);
        assertThat(statuses(installation).stream().skip(known)).containsExactly(expected);
    }

    /** The names of the tools that a user is shown. */
    List<String> listed(Installation installation) {
        return names(backend.ask(installation, "tools/list", null).json().at("/result/tools"));
    }

    /** The names of the tools that a user finds, best first. */
    List<String> found(Installation installation, String query) {
        var id =
                backend.request(
                        installation,
                        "",
                        "{}",
                        request -> {
                            request.remove("tool_path");
                            return request.put("method", "tools/search").put("query", query);
                        });
        return names(backend.answer(id).json().at("/result/tools"));
    }

    private static List<String> names(JsonNode tools) {
        return StreamSupport.stream(tools.spliterator(), false)
                .map(tool -> tool.path("tool_name").asString())
                .toList();
    }

    /** Sends a health check and waits for its result. */
    Received check(Installation installation, String type) {
        return backend.result(
                backend.command(
                        installation,
                        "health_check",
                        command -> {
                            ((ObjectNode) command.get("payload")).put("check_type", type);
                            return command;
                        }));
    }

    /** What the first worker's debug page says of an instance. */
    JsonNode debug(Installation installation) {
        return debug("process=" + installation.processId()).getFirst();
    }

    /** What the first worker's debug page finds. */
    List<JsonNode> debug(String query) {
        var page = URI.create(fleet.part("worker-1").field("admin") + "/debug/instances?" + query);
        try (var http = HttpClient.newHttpClient()) {
            var body =
                    http.send(
                                    HttpRequest.newBuilder(page).build(),
                                    HttpResponse.BodyHandlers.ofByteArray())
                            .body();
            return StreamSupport.stream(Json.tree(body).path("instances").spliterator(), false)
                    .toList();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
