package dev.perigee.protocol.schema;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares records with schemas, field by field in both directions, and lists what differs. */
final class SchemaComparison {

    private static final Set<String> TEXT = Set.of("string");
    private static final Map<Class<?>, Set<String>> SCALARS =
            Map.ofEntries(
                    Map.entry(String.class, TEXT),
                    Map.entry(Instant.class, TEXT),
                    Map.entry(URI.class, TEXT),
                    Map.entry(Integer.class, Set.of("integer")),
                    Map.entry(int.class, Set.of("integer")),
                    Map.entry(Long.class, Set.of("integer")),
                    Map.entry(long.class, Set.of("integer")),
                    Map.entry(Double.class, Set.of("number")),
                    Map.entry(double.class, Set.of("number")),
                    Map.entry(Boolean.class, Set.of("boolean")),
                    Map.entry(boolean.class, Set.of("boolean")),
                    Map.entry(RawJson.class, Set.of()));

    private final List<String> differences = new ArrayList<>();
    private final Set<Class<?>> compared = new HashSet<>();

    private SchemaComparison() {}

    /** Differences between a record and a schema that may have these further properties. */
    static List<String> of(Class<?> type, SchemaNode schema, Set<String> further) {
        var comparison = new SchemaComparison();
        comparison.object(type, schema, further, type.getSimpleName());
        return comparison.differences;
    }

    /** A component's name on the wire. */
    static String wireName(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private void object(Class<?> type, SchemaNode schema, Set<String> further, String path) {
        if (!compared.add(type)) {
            return;
        }
        var names = new TreeSet<>(further);
        var required = new TreeSet<>(further);
        boolean always = type.isAnnotationPresent(JsonInclude.class);
        for (var component : type.getRecordComponents()) {
            var name = wireName(component);
            names.add(name);
            boolean optional = isOptional(type, component);
            if ((always && !leavesOut(component)) || !optional) {
                required.add(name);
            }
            var property = schema.property(name);
            boolean anything = component.getType() == RawJson.class;
            if (!anything && property.nullable() != optional) {
                differences.add(path + "." + name + (optional ? " can" : " cannot") + " be null");
            }
            value(component.getAnnotatedType(), property, path + "." + name);
        }
        same(path + " properties", names, schema.properties());
        same(path + " required", required, schema.required());
    }

    private static boolean isOptional(Class<?> type, RecordComponent component) {
        boolean emptyIfAbsent = type == ServerConfig.class && isCollection(component.getType());
        return emptyIfAbsent || component.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    private static boolean leavesOut(RecordComponent component) {
        var include = component.getAccessor().getAnnotation(JsonInclude.class);
        return include != null && include.value() == JsonInclude.Include.NON_NULL;
    }

    private static boolean isCollection(Class<?> type) {
        return type == List.class || type == Map.class;
    }

    private void value(AnnotatedType annotated, SchemaNode schema, String path) {
        if (annotated instanceof AnnotatedParameterizedType generic
                && generic.getType() instanceof ParameterizedType parameterized) {
            boolean isList = parameterized.getRawType() == List.class;
            same(path, Set.of(isList ? "array" : "object"), schema.types());
            var arguments = generic.getAnnotatedActualTypeArguments();
            value(
                    arguments[isList ? 0 : 1],
                    isList ? schema.items() : schema.additionalProperties(),
                    path + "[]");
            return;
        }
        var type = (Class<?>) annotated.getType();
        var scalar = SCALARS.get(type);
        if (scalar != null) {
            // A constant says its type by itself.
            same(path, schema.node().has("const") ? Set.of() : scalar, schema.types());
            boolean time = schema.node().path("format").asString("").equals("date-time");
            if (time != (type == Instant.class)) {
                differences.add(path + " format");
            }
        } else if (type.isEnum()) {
            same(path, TEXT, schema.types());
            var names = new TreeSet<String>();
            Arrays.stream(type.getEnumConstants()).map(SchemaComparison::text).forEach(names::add);
            same(path + " values", names, schema.enumeration());
        } else {
            same(path, Set.of("object"), schema.types());
            object(type, schema, Set.of(), path);
        }
    }

    private static String text(Object constant) {
        return new String(Json.write(constant), StandardCharsets.UTF_8).replace("\"", "");
    }

    private void same(String what, Set<String> code, Set<String> schema) {
        if (!code.equals(schema)) {
            differences.add(what + ": code " + code + ", schema " + schema);
        }
    }
}
