package dev.perigee.testing.fleet;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Holds records against the published AsyncAPI document and the schemas that it refers to. */
final class PublishedContract {

    private final SchemaRegistry registry =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7);
    private final Map<String, Map<String, JsonNode>> messagesByTopic = new HashMap<>();

    /** Reads the document of this source tree. */
    static PublishedContract ofThisTree() {
        var file = Path.of("../../protocol/src/main/asyncapi/perigee.yaml");
        var document = new YAMLMapper().readTree(file.toFile());
        var contract = new PublishedContract();
        for (var channel : document.get("channels")) {
            var byName = new HashMap<String, JsonNode>();
            for (var reference : channel.get("messages")) {
                var message = document.at(reference.get("$ref").asString().substring(1));
                byName.put(message.get("name").asString(), message);
            }
            var address = channel.get("address").asString();
            contract.messagesByTopic.put(
                    address.substring(TopicNames.DEFAULT_PREFIX.length()), byName);
        }
        return contract;
    }

    /** What is wrong with a record, empty when nothing is. */
    List<String> violations(Received received) {
        var message =
                messagesByTopic
                        .getOrDefault(received.topic(), Map.of())
                        .get(received.text("event"));
        if (message == null) {
            return List.of("no such event on this topic: " + received);
        }
        var violations = new ArrayList<String>();
        var reference = message.at("/payload/$ref").asString();
        for (var error : schema(reference).validate(received.json())) {
            violations.add(error + " in " + received);
        }
        return violations;
    }

    private Schema schema(String reference) {
        return registry.getSchema(
                SchemaLocation.of(reference.replace("../resources/", "classpath:")));
    }
}
