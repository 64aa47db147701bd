package dev.perigee.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The envelope of a JSON-RPC 2.0 message, as servers and the link speak it. It is read and written
 * by hand, since there are some six in each call, and what it carries is passed through.
 *
 * @param version what the message says of it, {@code 2.0} as a rule
 * @param id any value; absent of notifications
 * @param method of a request or notification, else null
 * @param params of a request or notification, null where there are none
 * @param result of an answer, else null
 * @param error of a refusal, else null
 */
public record JsonRpc(
        @Nullable String version,
        @Nullable RawJson id,
        @Nullable String method,
        @Nullable RawJson params,
        @Nullable RawJson result,
        @Nullable RawJson error) {
    /** The version there is. */
    public static final String VERSION = "2.0";

    private static final byte[] HEAD = "{\"jsonrpc\":\"2.0\"".getBytes(UTF_8);
    private static final byte[] ID = ",\"id\":".getBytes(UTF_8);
    private static final byte[] METHOD = ",\"method\":\"".getBytes(UTF_8);
    private static final byte[] PARAMS = "\",\"params\":".getBytes(UTF_8);
    private static final byte[] RESULT = ",\"result\":".getBytes(UTF_8);
    private static final int MOST_DIGITS = 18;

    /**
     * Reads one of ours.
     *
     * @throws InvalidRecordException when the bytes are no JSON, or no object, or a field has a
     *     wrong type
     */
    public static JsonRpc read(byte[] utf8) {
        var plain = Json.readPlain(utf8, utf8.length, JsonRpc::of);
        if (plain != null) {
            return plain;
        }
        try (var parser = Json.MAPPER.createParser(utf8)) {
            return read(parser, utf8);
        } catch (JacksonException e) {
            throw Json.explain(e);
        }
    }

    /**
     * Reads one from outside: at most {@link Json#MAX_DEPTH} deep.
     *
     * @throws InvalidRecordException as {@link #read(byte[])}
     */
    public static JsonRpc readInput(byte[] utf8) {
        var plain = Json.readPlain(utf8, utf8.length, JsonRpc::of);
        return plain == null ? parseInput(utf8) : plain;
    }

    static JsonRpc parseInput(byte[] utf8) {
        try (var parser = Json.inputParser(utf8)) {
            return read(parser, utf8);
        } catch (JacksonException e) {
            throw Json.explain(e);
        }
    }

    private static JsonRpc of(Fields fields) {
        String version = null;
        RawJson id = null;
        String method = null;
        RawJson params = null;
        RawJson result = null;
        RawJson error = null;
        for (var name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "jsonrpc" -> version = fields.text();
                case "method" -> method = fields.text();
                case "id" -> id = fields.raw();
                case "params" -> params = fields.raw();
                case "result" -> result = fields.raw();
                case "error" -> error = fields.raw();
                default -> {}
            }
        }
        return new JsonRpc(version, id, method, params, result, error);
    }

    private static JsonRpc read(JsonParser parser, byte[] utf8) {
        String version = null;
        RawJson id = null;
        String method = null;
        RawJson params = null;
        RawJson result = null;
        RawJson error = null;
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw InvalidRecordException.invalid("not the expected kind of JSON value");
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            var field = parser.currentName();
            parser.nextToken();
            switch (field) {
                case "jsonrpc" -> version = text(parser, field);
                case "method" -> method = text(parser, field);
                case "id" -> id = RawJsonDeserializer.cut(parser, utf8);
                case "params" -> params = RawJsonDeserializer.cut(parser, utf8);
                case "result" -> result = RawJsonDeserializer.cut(parser, utf8);
                case "error" -> error = RawJsonDeserializer.cut(parser, utf8);
                default -> parser.skipChildren();
            }
        }
        if (parser.nextToken() != null) {
            throw InvalidRecordException.malformed("more than one JSON value");
        }
        return new JsonRpc(version, id, method, params, result, error);
    }

    private static @Nullable String text(JsonParser parser, String field) {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> parser.getString();
            case VALUE_NULL -> null;
            default -> throw InvalidRecordException.invalid("field " + field + " has a wrong type");
        };
    }

    /** The id where it is a number as we give them, -1 where it is anything else. */
    public long number() {
        if (id == null || id.size() == 0 || id.size() > MOST_DIGITS) {
            return -1;
        }
        long number = 0;
        for (byte digit : id.bytes()) {
            if (!isDigit(digit)) {
                return -1;
            }
            number = number * 10 + (digit - '0');
        }
        return number;
    }

    /**
     * A request or, without an id, a notification.
     *
     * @param method of plain letters and slashes
     */
    public static byte[] ask(@Nullable Long id, String method, RawJson params) {
        var name = method.getBytes(UTF_8);
        return id == null
                ? join(HEAD, METHOD, name, PARAMS, params.bytes())
                : join(HEAD, ID, digits(id), METHOD, name, PARAMS, params.bytes());
    }

    /**
     * Takes a message as {@link #ask} writes it with this method. The parameters are not looked at:
     * the message is one if they are one value.
     *
     * @return null for any other, also for one that says the same in another form
     */
    public static @Nullable Asked asked(byte[] utf8, byte[] method) {
        int at = 0;
        Long id = null;
        if (!follows(HEAD, utf8, at)) {
            return null;
        }
        at += HEAD.length;
        if (follows(ID, utf8, at)) {
            at += ID.length;
            long number = 0;
            int digits = 0;
            for (; at < utf8.length && isDigit(utf8[at]) && digits < MOST_DIGITS; at++, digits++) {
                number = number * 10 + (utf8[at] - '0');
            }
            if (digits == 0 || (digits > 1 && utf8[at - digits] == '0')) {
                return null;
            }
            id = number;
        }
        for (var part : new byte[][] {METHOD, method, PARAMS}) {
            if (!follows(part, utf8, at)) {
                return null;
            }
            at += part.length;
        }
        int end = utf8.length - 1;
        return at < end && utf8[end] == '}' ? new Asked(id, RawJson.slice(utf8, at, end)) : null;
    }

    /**
     * A request or notification, with parameters of any form.
     *
     * @param id null of a notification
     * @param params not parsed
     */
    public record Asked(@Nullable Long id, RawJson params) {}

    private static boolean follows(byte[] part, byte[] all, int at) {
        int end = at + part.length;
        return end <= all.length && Arrays.equals(part, 0, part.length, all, at, end);
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }

    /** An answer. */
    public static byte[] answer(long id, RawJson result) {
        return join(HEAD, ID, digits(id), RESULT, result.bytes());
    }

    private static byte[] digits(long number) {
        return Long.toString(number).getBytes(UTF_8);
    }

    /** The parts and a closing brace. */
    private static byte[] join(byte[]... parts) {
        int length = 1;
        for (var part : parts) {
            length += part.length;
        }
        var all = new byte[length];
        int at = 0;
        for (var part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        all[at] = '}';
        return all;
    }
}
