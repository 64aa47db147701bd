package dev.perigee.protocol.schema;

import dev.perigee.protocol.json.RawJson;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes instances of records: full ones, and least ones in which everything that may be null is.
 * Where a text has a constant or a list of values in its schema, it gets the first.
 */
final class Samples {

    private static final int DEPTH = 3;

    private final boolean full;

    private Samples(boolean full) {
        this.full = full;
    }

    static <T> T full(Class<T> type, SchemaNode schema) {
        return type.cast(new Samples(true).instance(type, schema, DEPTH));
    }

    static <T> T least(Class<T> type, SchemaNode schema) {
        return type.cast(new Samples(false).instance(type, schema, DEPTH));
    }

    private Object instance(Class<?> type, SchemaNode schema, int depth) {
        var components = type.getRecordComponents();
        var types = Arrays.stream(components).map(RecordComponent::getType);
        var values =
                Arrays.stream(components)
                        .map(
                                component ->
                                        value(
                                                component.getAnnotatedType(),
                                                schema.property(
                                                        SchemaComparison.wireName(component)),
                                                depth - 1));
        try {
            var constructor = type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values.toArray());
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("Cannot make a sample of " + type, e);
        }
    }

    private @Nullable Object value(AnnotatedType annotated, SchemaNode schema, int depth) {
        if (annotated.isAnnotationPresent(Nullable.class) && (!full || depth < 0)) {
            return null;
        }
        if (annotated instanceof AnnotatedParameterizedType generic) {
            var arguments = generic.getAnnotatedActualTypeArguments();
            return arguments.length == 1
                    ? List.of(required(arguments[0], schema.items(), depth))
                    : Map.of("key", required(arguments[1], schema.additionalProperties(), depth));
        }
        var type = (Class<?>) annotated.getType();
        if (type == String.class) {
            return text(schema);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> 1;
            case "long", "Long" -> 2L;
            case "double", "Double" -> 1.5;
            case "boolean", "Boolean" -> true;
            case "Instant" -> Instant.parse("2026-11-20T10:00:00Z");
            case "URI" -> URI.create("http://127.0.0.1:8081");
            case "RawJson" -> RawJson.of("{\"any\":[1]}");
            default -> instance(type, schema, depth);
        };
    }

    private Object required(AnnotatedType annotated, SchemaNode schema, int depth) {
        var value = value(annotated, schema, depth);
        if (value == null) {
            throw new IllegalStateException("An element of a collection is never null");
        }
        return value;
    }

    private static String text(SchemaNode schema) {
        var values = schema.enumeration();
        return schema.node()
                .path("const")
                .asString(values.isEmpty() ? "text" : values.iterator().next());
    }
}
