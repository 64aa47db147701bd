package dev.perigee.protocol.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/**
 * The one way records become bytes and back: UTF-8, snake_case, absent is null, unknown fields are
 * ignored, a value of a wrong type is an error and never coerced. Thread-safe.
 */
public final class Json {
    /** Deepest nesting accepted from outside; deeper input is malformed. */
    public static final int MAX_DEPTH = 200;

    /** What of ours is around something from outside at most, in frames, events and state. */
    private static final int OUR_DEPTH = 50;

    static final JsonMapper MAPPER = mapper(factory(MAX_DEPTH + OUR_DEPTH));

    private static final JsonFactory INPUT = factory(MAX_DEPTH);

    /** What the mapper would look up at each use. */
    private static final ClassValue<ObjectReader> READERS =
            new ClassValue<>() {
                @Override
                protected ObjectReader computeValue(Class<?> type) {
                    return MAPPER.readerFor(type);
                }
            };

    private Json() {}

    /** Encodes a record as UTF-8 JSON. */
    public static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Encodes a record as a value to be embedded in another. */
    public static RawJson raw(Object value) {
        return RawJson.ofBytes(write(value));
    }

    /**
     * Decodes one JSON document that Perigee wrote, perhaps around something from outside.
     *
     * @throws InvalidRecordException when the bytes are no JSON, or not what the type asks for
     */
    public static <T> T read(byte[] utf8, Class<T> type) {
        try (var parser = MAPPER.createParser(utf8)) {
            return bind(parser, utf8, type);
        } catch (JacksonException e) {
            throw explain(e);
        }
    }

    /**
     * Decodes one JSON document from outside: at most {@link #MAX_DEPTH} deep, so that there is
     * room for what Perigee puts around it.
     *
     * @throws InvalidRecordException when the bytes are no JSON, or not what the type asks for
     */
    public static <T> T readInput(byte[] utf8, Class<T> type) {
        try (var parser = inputParser(utf8)) {
            return bind(parser, utf8, type);
        } catch (JacksonException e) {
            throw explain(e);
        }
    }

    private static <T> T bind(JsonParser parser, byte[] utf8, Class<T> type) {
        T value =
                READERS.get(type).withAttribute(RawJsonDeserializer.SOURCE, utf8).readValue(parser);
        return Require.present(value, "(document)");
    }

    static JsonParser inputParser(byte[] utf8) {
        return INPUT.createParser(ObjectReadContext.empty(), utf8);
    }

    /** Decodes a value that was passed through. */
    public static <T> T read(RawJson json, Class<T> type) {
        return read(json.bytes(), type);
    }

    /**
     * As {@link #read(byte[], Class)}, for one of the documents that each call has.
     *
     * @param reader takes what it knows; whatever it does not expect is left to the mapper, which
     *     says what is wrong
     */
    public static <T> T read(byte[] utf8, Class<T> type, Function<Fields, T> reader) {
        try {
            return new PlainFields(utf8, utf8.length).document(reader);
        } catch (PlainFields.UnusualException e) {
            return parse(utf8, type, reader);
        } catch (InvalidRecordException e) {
            return read(utf8, type);
        }
    }

    private static <T> T parse(byte[] utf8, Class<T> type, Function<Fields, T> reader) {
        try (var parser = MAPPER.createParser(utf8)) {
            return new ParsedFields(parser, utf8).document(reader);
        } catch (JacksonException | InvalidRecordException e) {
            return read(utf8, type);
        }
    }

    /**
     * Reads a document of the form that nearly all have, which needs no parser.
     *
     * @param length of the document, at the beginning of the bytes
     * @return null where a parser has to look at it, and where the reader is content with nothing
     */
    public static <T> @Nullable T readPlain(
            byte[] utf8, int length, Function<Fields, @Nullable T> reader) {
        try {
            return new PlainFields(utf8, length).<@Nullable T>document(reader);
        } catch (PlainFields.UnusualException | InvalidRecordException e) {
            return null;
        }
    }

    /** As {@link #readInput(byte[], Class)}, with a reader. */
    public static <T> T readInput(byte[] utf8, Class<T> type, Function<Fields, T> reader) {
        try {
            return new PlainFields(utf8, utf8.length).document(reader);
        } catch (PlainFields.UnusualException e) {
            return parseInput(utf8, type, reader);
        } catch (InvalidRecordException e) {
            return readInput(utf8, type);
        }
    }

    private static <T> T parseInput(byte[] utf8, Class<T> type, Function<Fields, T> reader) {
        try (var parser = inputParser(utf8)) {
            return new ParsedFields(parser, utf8).document(reader);
        } catch (JacksonException | InvalidRecordException e) {
            return readInput(utf8, type);
        }
    }

    /** Decodes any JSON document as a tree; for tools and tests, not for the call path. */
    public static JsonNode tree(byte[] utf8) {
        try {
            return MAPPER.readTree(utf8);
        } catch (JacksonException e) {
            throw explain(e);
        }
    }

    /** Turns a tree back into a typed value. */
    public static <T> T convert(JsonNode tree, Class<T> type) {
        return read(write(tree), type);
    }

    static InvalidRecordException explain(JacksonException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidRecordException ours) {
                return ours;
            }
        }
        var location = failure.getLocation();
        String where =
                location == null
                        ? ""
                        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
        if (failure instanceof StreamConstraintsException) {
            return InvalidRecordException.malformed(
                    "nested more than %d deep, or with a name or number without end%s"
                            .formatted(MAX_DEPTH, where));
        }
        if (failure instanceof InputCoercionException) {
            return InvalidRecordException.invalid(
                    "%s is a number beyond every limit%s".formatted(field(failure), where));
        }
        if (failure instanceof StreamReadException) {
            return InvalidRecordException.malformed("not valid JSON" + where);
        }
        if (failure instanceof DatabindException databind && !databind.getPath().isEmpty()) {
            return InvalidRecordException.invalid(
                    "field " + path(databind) + " has a wrong type" + where);
        }
        return InvalidRecordException.invalid("not the expected kind of JSON value" + where);
    }

    private static String field(JacksonException failure) {
        return failure.getPath().isEmpty() ? "a field" : "field " + path(failure);
    }

    private static String path(JacksonException failure) {
        var path = new StringBuilder();
        for (var step : failure.getPath()) {
            if (step.getPropertyName() != null) {
                path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
            } else {
                path.append('[').append(step.getIndex()).append(']');
            }
        }
        return path.toString();
    }

    private static JsonFactory factory(int depth) {
        return JsonFactory.builder()
                .streamReadConstraints(
                        StreamReadConstraints.builder()
                                .maxNestingDepth(depth)
                                .maxStringLength(32 * 1024 * 1024)
                                .build())
                .build();
    }

    private static JsonMapper mapper(JsonFactory factory) {
        var times = new SimpleModule("perigee-times");
        times.addSerializer(Instant.class, new InstantFormat.Writer());
        times.addDeserializer(Instant.class, new InstantFormat.Reader());
        return JsonMapper.builder(factory)
                .addModule(times)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .changeDefaultPropertyInclusion(
                        ignored ->
                                JsonInclude.Value.construct(
                                        JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .withCoercionConfig(
                        LogicalType.Textual,
                        text -> {
                            text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                            text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                            text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                        })
                .build();
    }
}
