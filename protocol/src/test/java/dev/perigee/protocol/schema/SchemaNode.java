package dev.perigee.protocol.schema;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * A place in a schema file, with references followed and the two spellings of "or null" undone.
 *
 * @param file root of the file, that local references are looked up in
 */
record SchemaNode(JsonNode file, JsonNode node, boolean nullable) {

    static SchemaNode of(String fileName) {
        var tree = SchemaFiles.tree(fileName);
        return new SchemaNode(tree, tree, false);
    }

    /** One property, as used here. */
    SchemaNode property(String name) {
        return resolve(node.path("properties").path(name));
    }

    SchemaNode items() {
        return resolve(node.path("items"));
    }

    SchemaNode additionalProperties() {
        return resolve(node.path("additionalProperties"));
    }

    Set<String> properties() {
        return new TreeSet<>(node.path("properties").propertyNames());
    }

    Set<String> required() {
        return strings("required");
    }

    Set<String> enumeration() {
        return strings("enum");
    }

    /** The JSON types besides null; empty where anything goes. */
    Set<String> types() {
        var types = new HashSet<String>();
        var type = node.path("type");
        if (type.isString()) {
            types.add(type.asString());
        }
        type.forEach(each -> types.add(each.asString()));
        types.remove("null");
        return types;
    }

    private Set<String> strings(String keyword) {
        var strings = new TreeSet<String>();
        node.path(keyword).forEach(each -> strings.add(each.asString("null")));
        strings.remove("null");
        return strings;
    }

    private SchemaNode resolve(JsonNode at) {
        var choices = at.path("anyOf");
        if (!choices.isMissingNode()) {
            var inner = resolve(choices.get(0));
            return new SchemaNode(
                    inner.file,
                    inner.node,
                    choices.get(1).path("type").asString("").equals("null"));
        }
        var reference = at.path("$ref").asString("");
        if (reference.startsWith("#")) {
            return new SchemaNode(file, file.at(reference.substring(1)), false);
        }
        if (!reference.isEmpty()) {
            return of(reference);
        }
        boolean nullable = false;
        for (var type : at.path("type")) {
            nullable |= type.asString().equals("null");
        }
        return new SchemaNode(file, at, nullable);
    }
}
