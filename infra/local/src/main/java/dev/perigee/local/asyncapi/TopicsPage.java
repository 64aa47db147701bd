package dev.perigee.local.asyncapi;

import dev.perigee.local.asyncapi.Documents.Part;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The page of topics and records, in Markdown. */
public final class TopicsPage {
    private final Documents documents = new Documents();
    private final FieldTable fields = new FieldTable(documents);
    private final Part root;
    private final Set<String> written = new HashSet<>();

    private TopicsPage(Path document) {
        root = documents.root(document);
    }

    /**
     * The page of an AsyncAPI document.
     *
     * @throws java.io.UncheckedIOException when a file cannot be read
     */
    public static String render(Path document) {
        return new TopicsPage(document).page();
    }

    private String page() {
        var page = new StringBuilder("# Topics and records\n\n");
        page.append("Made from the AsyncAPI document by `perigee reference --topics`. ")
                .append(root.node().at("/info/description").asString(""))
                .append("\n\n| topic | you | carries |\n|---|---|---|\n");
        for (var channel : root.node().path("channels").properties()) {
            var address = channel.getValue().path("address").asString("");
            page.append(
                    "| [`%s`](#%s) | %s | %s |\n"
                            .formatted(
                                    address,
                                    anchor(address),
                                    isIncoming(channel.getKey()) ? "write" : "read",
                                    messages(channel.getValue())));
        }
        for (var channel : root.node().path("channels").properties()) {
            topic(channel.getValue(), page);
        }
        return page.toString().stripTrailing() + "\n";
    }

    private boolean isIncoming(String channel) {
        return root.node()
                .path("operations")
                .valueStream()
                .anyMatch(
                        operation ->
                                operation.path("action").asString("").equals("receive")
                                        && operation
                                                .at("/channel/$ref")
                                                .asString("")
                                                .equals("#/channels/" + channel));
    }

    private String messages(JsonNode channel) {
        return channel.path("messages")
                .valueStream()
                .map(message -> documents.resolved(new Part(root.file(), message)).node())
                .map(message -> "`" + message.path("name").asString("") + "`")
                .collect(Collectors.joining(", "));
    }

    private void topic(JsonNode channel, StringBuilder page) {
        var address = channel.path("address").asString("");
        var cleanup =
                channel.at("/bindings/kafka/topicConfiguration")
                        .path("cleanup.policy")
                        .valueStream()
                        .map(JsonNode::asString)
                        .collect(Collectors.joining(" and "));
        page.append(
                "\n## %s\n\n%s Cleanup: %s.\n"
                        .formatted(address, channel.path("description").asString(""), cleanup));
        for (JsonNode message : channel.path("messages")) {
            message(documents.resolved(new Part(root.file(), message)), page);
        }
    }

    private void message(Part message, StringBuilder page) {
        var node = message.node();
        page.append(
                "\n### %s\n\n%s. Key: `%s`.\n\n"
                        .formatted(
                                node.path("name").asString(""),
                                node.path("summary").asString(""),
                                node.at("/bindings/kafka/key/description").asString("")));
        var headers = node.at("/headers/$ref").asString("");
        var table = fields.of(documents.at(message, "/headers"));
        if (!table.isEmpty()) {
            page.append(
                    written.add(headers)
                            ? "Headers, `" + name(headers) + "`:\n\n" + table
                            : "Headers: `" + name(headers) + "`, as above.\n\n");
        }
        if (node.has("payload")) {
            page.append(fields.of(documents.at(message, "/payload")));
        }
    }

    private static String name(String reference) {
        return reference.substring(reference.lastIndexOf('/') + 1);
    }

    private static String anchor(String heading) {
        return heading.replace(".", "");
    }
}
