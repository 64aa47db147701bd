package dev.perigee.corpus;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Samples of records with every field set, made from their components: a component that is added
 * changes the sample. Where a record contains itself, the inner one is left out. Texts are the
 * component's own name unless another is given. Notes the enumerations that it meets. Used by one
 * thread.
 */
public final class FullSample {
    private final Map<Class<?>, Object> values = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();
    private final Set<Class<?>> enumerations = new LinkedHashSet<>();
    private final Set<Class<?>> open = new LinkedHashSet<>();

    public FullSample() {
        values.put(int.class, 1);
        values.put(Integer.class, 1);
        values.put(long.class, 2L);
        values.put(Long.class, 2L);
        values.put(double.class, 1.5);
        values.put(Double.class, 1.5);
        values.put(boolean.class, true);
        values.put(Boolean.class, true);
        values.put(byte[].class, new byte[] {1, 2, 3});
        values.put(Instant.class, Instant.parse("2026-11-20T10:00:00.123Z"));
        values.put(URI.class, URI.create("http://127.0.0.1:8081"));
    }

    /** A value for every component of this type. */
    public FullSample with(Class<?> type, Object value) {
        values.put(type, value);
        return this;
    }

    /** A text for every component of this name. */
    public FullSample with(String component, String text) {
        texts.put(component, text);
        return this;
    }

    /** A sample. */
    public <T> T of(Class<T> type) {
        return type.cast(required(type, type.getSimpleName()));
    }

    /** The enumerations of the samples made so far. */
    public Set<Class<?>> enumerations() {
        return Collections.unmodifiableSet(enumerations);
    }

    private Object required(Type type, String name) {
        var value = value(type, name);
        if (value == null) {
            throw new IllegalStateException(name + " contains itself");
        }
        return value;
    }

    private @Nullable Object value(Type type, String name) {
        if (type instanceof ParameterizedType generic) {
            return collection(generic, name);
        }
        var plain = (Class<?>) type;
        if (plain == String.class) {
            return texts.getOrDefault(name, name);
        }
        if (plain.isEnum()) {
            enumerations.add(plain);
            return plain.getEnumConstants()[0];
        }
        var known = values.get(plain);
        return known == null ? record(plain) : known;
    }

    private Object collection(ParameterizedType type, String name) {
        var arguments = type.getActualTypeArguments();
        if (Map.class.isAssignableFrom((Class<?>) type.getRawType())) {
            var value = value(arguments[1], name);
            return new TreeMap<>(
                    value == null ? Map.of() : Map.of(required(arguments[0], name), value));
        }
        var element = value(arguments[0], name);
        var elements = element == null ? List.of() : List.of(element);
        return Set.class.isAssignableFrom((Class<?>) type.getRawType())
                ? Set.copyOf(elements)
                : elements;
    }

    private @Nullable Object record(Class<?> type) {
        if (!type.isRecord()) {
            throw new IllegalStateException("No sample of " + type);
        }
        if (!open.add(type)) {
            return null;
        }
        var components = type.getRecordComponents();
        try {
            var constructor =
                    type.getDeclaredConstructor(
                            Arrays.stream(components)
                                    .map(RecordComponent::getType)
                                    .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(
                    Arrays.stream(components)
                            .map(each -> value(each.getGenericType(), wireName(each.getName())))
                            .toArray());
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException("Cannot make a sample of " + type, e);
        } finally {
            open.remove(type);
        }
    }

    private static String wireName(String component) {
        return component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
