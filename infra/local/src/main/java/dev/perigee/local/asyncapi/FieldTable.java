package dev.perigee.local.asyncapi;

import dev.perigee.local.asyncapi.Documents.Part;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** The fields of a schema as rows of a table, inner ones by path. */
final class FieldTable {
    private static final int DEEPEST = 4;

    private final Documents documents;
    private final List<String> rows = new ArrayList<>();

    FieldTable(Documents documents) {
        this.documents = documents;
    }

    /** The table, empty when the schema has no fields. */
    String of(Part schema) {
        rows.clear();
        fields("", schema, 0);
        return rows.isEmpty()
                ? ""
                : "| field | type | meaning |\n|---|---|---|\n" + String.join("", rows) + "\n";
    }

    /** Fields of what it is made of come first, its own replace them. */
    private void fields(String prefix, Part schema, int depth) {
        fields(prefix, schema, depth, Set.of());
    }

    private void fields(String prefix, Part schema, int depth, Set<String> replaced) {
        var own = new TreeSet<>(replaced);
        own.addAll(schema.node().path("properties").propertyNames());
        for (JsonNode part : schema.node().path("allOf")) {
            fields(prefix, documents.resolved(new Part(schema.file(), part)), depth, own);
        }
        var required = new HashSet<String>();
        schema.node().path("required").forEach(name -> required.add(name.asString()));
        for (var property : schema.node().path("properties").properties()) {
            if (!replaced.contains(property.getKey())) {
                var part = chosen(new Part(schema.file(), property.getValue()));
                row(
                        prefix + property.getKey(),
                        part,
                        property.getValue(),
                        required.contains(property.getKey()),
                        depth);
            }
        }
    }

    private void row(String path, Part part, JsonNode written, boolean required, int depth) {
        var meaning =
                written.path("description").asString(part.node().path("description").asString(""));
        rows.add(
                "| `%s` | %s%s | %s |\n"
                        .formatted(
                                path,
                                type(part),
                                required ? "" : ", optional",
                                cell(meaning + values(part.node()))));
        if (depth >= DEEPEST) {
            return;
        }
        fields(path + ".", part, depth + 1);
        var items = part.node().path("items");
        if (items.isObject()) {
            fields(path + "[].", chosen(new Part(part.file(), items)), depth + 1);
        }
        var others = part.node().path("additionalProperties");
        if (others.isObject()) {
            fields(path + ".*.", chosen(new Part(part.file(), others)), depth + 1);
        }
    }

    /** Of alternatives the one that is not null. */
    private Part chosen(Part part) {
        var resolved = documents.resolved(part);
        for (JsonNode each : resolved.node().path("anyOf")) {
            if (!each.path("type").asString("").equals("null")) {
                return documents.resolved(new Part(resolved.file(), each));
            }
        }
        return resolved;
    }

    private String type(Part part) {
        var node = part.node();
        if (node.has("const") || (node.has("enum") && !node.has("type"))) {
            return "string";
        }
        var type = node.path("type");
        var names =
                type.isArray()
                        ? type.valueStream().map(JsonNode::asString).toList()
                        : List.of(type.asString("any"));
        var text =
                names.stream()
                        .filter(name -> !name.equals("null"))
                        .collect(Collectors.joining(" or "));
        if (text.equals("array") && node.path("items").isObject()) {
            return "array of " + type(chosen(new Part(part.file(), node.path("items"))));
        }
        return node.path("format").asString("").equals("date-time") ? "time" : text;
    }

    private static String values(JsonNode node) {
        if (node.has("const")) {
            return " Always `" + node.path("const").asString() + "`.";
        }
        var listed = node.has("enum") ? node.path("enum") : node.path("examples");
        if (listed.isEmpty()) {
            return "";
        }
        return (node.has("enum") ? " One of " : " Such as ")
                + listed.valueStream()
                        .filter(value -> !value.isNull())
                        .map(value -> "`" + value.asString() + "`")
                        .collect(Collectors.joining(", "))
                + ".";
    }

    private static String cell(String text) {
        return text.strip().replace("|", "\\|").replace("\n", " ");
    }
}
