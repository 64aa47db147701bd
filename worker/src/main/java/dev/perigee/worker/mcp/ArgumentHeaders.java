package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Arguments of a tool that a modern server has as HTTP headers, too, for those on the way: the
 * properties with {@code x-mcp-header} in the tool's input schema, by the rules of MCP's streamable
 * HTTP transport. Pure.
 *
 * @param mirrored at most {@value #MOST}, of different headers
 */
public record ArgumentHeaders(List<Mirrored> mirrored) {
    /** Of a tool without any. */
    public static final ArgumentHeaders NONE = new ArgumentHeaders(List.of());

    /** How many a tool may have. */
    static final int MOST = 64;

    /** Largest number that every JSON reader takes as an integer. */
    private static final double MAX_SAFE_INTEGER = (1L << 53) - 1;

    private static final String ANNOTATION = "x-mcp-header";
    private static final String PREFIX = "Mcp-Param-";
    private static final String PROPERTIES = "properties";

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}");
    private static final Set<String> PRIMITIVES = Set.of("string", "integer", "boolean");

    /** Keywords whose members have names of the author's. */
    private static final Set<String> NAMED =
            Set.of(PROPERTIES, "patternProperties", "$defs", "definitions", "dependentSchemas");

    /** Keywords whose values are data, not schemas. */
    private static final Set<String> DATA = Set.of("default", "const", "enum", "examples");

    /**
     * One header and where its value is.
     *
     * @param header its whole name
     * @param path names of properties, from the arguments down
     */
    public record Mirrored(String header, List<String> path) {}

    /**
     * Those that a schema asks for.
     *
     * @throws InvalidRecordException when one of them is not as MCP allows; the tool must not be
     *     used then
     */
    public static ArgumentHeaders in(RawJson schema) {
        if (!schema.text().contains(ANNOTATION)) {
            return NONE;
        }
        var found = new Search();
        found.schema(Json.tree(schema.bytes()), List.of());
        return found.all.isEmpty() ? NONE : new ArgumentHeaders(List.copyOf(found.all));
    }

    private static final class Search {
        private final List<Mirrored> all = new ArrayList<>();
        private final Set<String> names = new HashSet<>();

        /**
         * Looks through a schema and those in it.
         *
         * @param path to the property that it describes; null where it is reached otherwise than by
         *     properties of properties
         */
        void schema(JsonNode schema, @Nullable List<String> path) {
            var annotation = schema.get(ANNOTATION);
            if (annotation != null) {
                add(annotation, schema.path("type"), path);
            }
            for (var keyword : schema.properties()) {
                boolean own = keyword.getKey().equals(PROPERTIES);
                if (NAMED.contains(keyword.getKey()) && keyword.getValue().isObject()) {
                    for (var member : keyword.getValue().properties()) {
                        below(member.getValue(), own ? longer(path, member.getKey()) : null);
                    }
                } else if (!DATA.contains(keyword.getKey())) {
                    below(keyword.getValue(), null);
                }
            }
        }

        private void below(JsonNode value, @Nullable List<String> path) {
            if (value.isObject()) {
                schema(value, path);
            } else if (value.isArray()) {
                value.forEach(each -> below(each, null));
            }
        }

        private static @Nullable List<String> longer(@Nullable List<String> path, String name) {
            if (path == null) {
                return null;
            }
            var all = new ArrayList<>(path);
            all.add(name);
            return List.copyOf(all);
        }

        private void add(JsonNode annotation, JsonNode type, @Nullable List<String> path) {
            var name = annotation.isString() ? annotation.stringValue() : "";
            if (!TOKEN.matcher(name).matches()) {
                throw InvalidRecordException.invalid("an x-mcp-header is no name of a header");
            }
            if (path == null || path.isEmpty()) {
                throw InvalidRecordException.invalid(
                        "x-mcp-header %s is not at a property of the arguments".formatted(name));
            }
            if (!type.isString() || !PRIMITIVES.contains(type.stringValue())) {
                throw InvalidRecordException.invalid(
                        "x-mcp-header %s is at neither a string, an integer nor a boolean"
                                .formatted(name));
            }
            if (!names.add(name.toLowerCase(Locale.ROOT))) {
                throw InvalidRecordException.invalid("x-mcp-header %s twice".formatted(name));
            }
            if (all.size() == MOST) {
                throw InvalidRecordException.invalid("x-mcp-header more than " + MOST + " times");
            }
            all.add(new Mirrored(PREFIX + name, path));
        }
    }

    /**
     * The headers of a call.
     *
     * @param params of {@code tools/call}
     * @return values by the headers' names, without those that the call has no value for
     */
    Map<String, String> of(RawJson params) {
        if (mirrored.isEmpty()) {
            return Map.of();
        }
        var arguments = Json.tree(params.bytes()).path("arguments");
        var headers = new LinkedHashMap<String, String>();
        for (var each : mirrored) {
            var value = arguments;
            for (var name : each.path()) {
                value = value.path(name);
            }
            var text = text(value);
            if (text != null) {
                headers.put(each.header(), HeaderText.of(text));
            }
        }
        return headers;
    }

    private static @Nullable String text(JsonNode value) {
        if (value.isString()) {
            return value.stringValue();
        }
        if (value.isBoolean()) {
            return value.booleanValue() ? "true" : "false";
        }
        if (!value.isNumber()) {
            return null; // What is missing or null has no header; what is no value is the server's.
        }
        if (value.isIntegralNumber()) {
            return value.bigIntegerValue().toString();
        }
        double number = value.doubleValue(); // Never all digits of 1e999999999.
        return Math.rint(number) == number && Math.abs(number) <= MAX_SAFE_INTEGER
                ? Long.toString((long) number)
                : Double.toString(number);
    }
}
