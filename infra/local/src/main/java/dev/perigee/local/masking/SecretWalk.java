package dev.perigee.local.masking;

import dev.perigee.protocol.config.ArgumentSecrets;
import dev.perigee.protocol.config.SecretPart;
import dev.perigee.protocol.config.SecretReference;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Visits a record's value, shows every secret to a {@link Visitor} and puts what that returns in
 * its place. Collecting and masking take the same way, so that what is masked is what was
 * collected. Recursive as deep as the value, which the reader of JSON bounds. For one thread.
 */
final class SecretWalk {
    /** What a schema shows of values; its other texts are names and descriptions. */
    private static final Set<String> SCHEMA_VALUES =
            Set.of("default", "const", "enum", "example", "examples");

    private static final Set<String> SCHEMAS =
            Set.of("input_schema", "inputSchema", "output_schema", "outputSchema");

    /** Numbers of fewer digits stand in amounts by chance. */
    private static final int SHORTEST_IN_AMOUNT = 8;

    private final Visitor visitor;
    private final boolean isFromBackend;

    /** Names that the configuration under way calls secrets. */
    private Set<String> metadata = Set.of();

    /** What is done with what is found. */
    interface Visitor {
        /**
         * A whole value that is a secret.
         *
         * @param isCertain whether its name says so
         */
        String secret(String value, boolean isCertain);

        /** Any other text; {@code parts} of it are secrets by their form. */
        String text(String text, List<SecretPart> parts);

        /** A number that its name does not call a secret. */
        String number(String digits);

        /** The name of a field. */
        String name(String name);
    }

    /**
     * @param isFromBackend of commands and requests, where all of env, headers and query parameters
     *     is secret but for harmless names
     */
    SecretWalk(Visitor visitor, boolean isFromBackend) {
        this.visitor = visitor;
        this.isFromBackend = isFromBackend;
    }

    /** Visits a value; objects and arrays are edited in place. */
    JsonNode visit(JsonNode value) {
        return value(value, "", false, false);
    }

    private JsonNode value(JsonNode value, String name, boolean secret, boolean schema) {
        return switch (value) {
            case ObjectNode object -> object(object, name, secret, schema);
            case ArrayNode array -> {
                if (isFromBackend && name.equals(SecretField.ARGS.field())) {
                    arguments(array);
                } else {
                    for (int i = 0; i < array.size(); i++) {
                        array.set(i, value(array.get(i), name, secret, schema));
                    }
                }
                yield array;
            }
            case StringNode text ->
                    StringNode.valueOf(
                            secret ? visitor.secret(text.asString(), true) : text(text.asString()));
            case JsonNode other -> other.isNumber() ? number(name, other, secret) : other;
        };
    }

    private JsonNode object(ObjectNode object, String of, boolean secret, boolean schema) {
        var place = isFromBackend ? place(of) : null;
        var named = place == null ? Set.<String>of() : metadata;
        if (isFromBackend && object.has("secret_metadata")) {
            metadata = SecretMetadata.names(object.path("secret_metadata"));
        }
        for (var name : List.copyOf(object.propertyNames())) {
            var child = object.path(name);
            var edited =
                    place != null && isPlaced(child)
                            ? placed(place, name, child, named)
                            : field(child, name, of, secret || place != null, schema);
            var shown = visitor.name(name);
            if (!shown.equals(name)) {
                object.remove(name);
            }
            object.set(shown, edited);
        }
        return object;
    }

    private JsonNode field(JsonNode child, String name, String of, boolean secret, boolean schema) {
        if (schema || SCHEMAS.contains(name)) {
            boolean sounds =
                    secret || SecretField.isSecretField(name) || SecretField.isSecretField(of);
            return value(child, name, sounds && SCHEMA_VALUES.contains(name), true);
        }
        return value(child, name, secret || SecretField.isSecretField(name), false);
    }

    private static boolean isPlaced(JsonNode value) {
        return value.isString() || value.isNumber() || isReference(value);
    }

    private static boolean isReference(JsonNode value) {
        return value.size() == 1 && SecretReference.isName(value.path("ref").asString(""));
    }

    private JsonNode placed(SecretField place, String name, JsonNode value, Set<String> named) {
        if (isReference(value)) {
            return value(value, "", false, false); // What it refers to is none of this record's.
        }
        boolean isCertain = named.contains(name) || SecretField.soundsSecret(name);
        if (!isCertain && !place.isSecret(name)) {
            return value(value, name, false, false);
        }
        return shown(value, visitor.secret(value.asString(), isCertain));
    }

    /** The value itself where it is not replaced, so that numbers stay numbers. */
    private static JsonNode shown(JsonNode value, String text) {
        return text.equals(value.asString()) ? value : StringNode.valueOf(text);
    }

    private static @Nullable SecretField place(String name) {
        for (var place : List.of(SecretField.ENV, SecretField.HEADERS, SecretField.QUERY)) {
            if (place.field().equals(name)) {
                return place;
            }
        }
        return null;
    }

    private void arguments(ArrayNode args) {
        var texts = args.valueStream().map(arg -> arg.asString("")).toList();
        var parts = ArgumentSecrets.in(texts);
        for (int i = 0; i < args.size(); i++) {
            if (args.get(i).isString() || args.get(i).isNumber()) {
                args.set(i, shown(args.get(i), visitor.text(texts.get(i), parts.get(i))));
            } else {
                args.set(i, value(args.get(i), "", false, false));
            }
        }
    }

    private String text(String text) {
        return visitor.text(text, ArgumentSecrets.in(List.of(text)).getFirst());
    }

    private JsonNode number(String name, JsonNode number, boolean secret) {
        var digits = number.asString();
        boolean isAmount = SecretField.isAmount(name);
        if (digits.length() < (isAmount ? SHORTEST_IN_AMOUNT : SecretField.SHORTEST_NUMBER)) {
            return number;
        }
        boolean isSecret = secret && !isAmount;
        return shown(number, isSecret ? visitor.secret(digits, true) : visitor.number(digits));
    }
}
