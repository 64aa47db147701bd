package dev.perigee.protocol.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A document read without a parser")
final class PlainFieldsTest {
    private static final int TRIES = 2_000;

    /** The first letter of a name says what is asked for. */
    private static final List<String> DOCUMENTS =
            List.of(
                    "{}",
                    " { \"text\" : \"a b~\" , \"number\" : -12 ,\"int\":0,\"bool\":true,\"raw\":null } ",
                    "{\"object\":{\"object\":{},\"text\":null,\"bool\":false},\"list\":[\"a\",\"b\"],"
                            + "\"list\":[],\"date\":\"2026-01-02T03:04:05.006Z\",\"x64\":\"AP8H\"}",
                    "{\"raw\":{\"a\":[1,-0.5e+3,\"\\u00e4\\n ü😀\",{\"\":[[],{}]}],\"b\":null},\"raw\":\"q\","
                            + "\"raw\":[true,false],\"passed\":{\"ä😀\":[{\"ключ\":1.50}]},\"text\":\"last\"}",
                    "{\"number\":999999999999999999,\"int\":-2147483648,\"x64\":\"\",\"text\":\"\"}");

    private static List<String> take(Fields fields) {
        var all = new ArrayList<String>();
        for (var name = fields.next(); name != null; name = fields.next()) {
            all.add(name + "=" + taken(name, fields));
        }
        return all;
    }

    private static @Nullable Object taken(String name, Fields fields) {
        return switch (name.isEmpty() ? ' ' : name.charAt(0)) {
            case 't' -> fields.text();
            case 'n' -> fields.number();
            case 'i' -> fields.smallNumber();
            case 'b' -> fields.truth();
            case 'l' -> fields.texts();
            case 'd' -> fields.time();
            case 'r' -> cut(fields.raw());
            case 'x' -> base64(fields.bytes());
            case 'o' -> fields.object(PlainFieldsTest::take);
            default -> "passed";
        };
    }

    private static @Nullable String cut(@Nullable RawJson raw) {
        return raw == null ? null : latin(raw.bytes());
    }

    private static @Nullable String base64(byte @Nullable [] bytes) {
        return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    private static @Nullable List<String> plainly(byte[] utf8) {
        try {
            return new PlainFields(utf8, utf8.length).document(PlainFieldsTest::take);
        } catch (PlainFields.UnusualException | InvalidRecordException e) {
            return null;
        }
    }

    private static List<String> parsed(byte[] utf8) {
        try (var parser = Json.inputParser(utf8)) {
            return new ParsedFields(parser, utf8).document(PlainFieldsTest::take);
        }
    }

    @Test
    @DisplayName("is what a parser makes of it, or left to one")
    void likeTheParser() {
        var mutations = new Mutations(1);
        int plain = 0;
        for (var document : DOCUMENTS) {
            assertThat(plainly(document.getBytes(UTF_8))).as(document).isNotNull();
            for (int i = 0; i < TRIES; i++) {
                var utf8 = mutations.of(document.getBytes(UTF_8));
                var read = plainly(utf8);
                if (read != null) {
                    plain++;
                    assertThat(read).as(() -> latin(utf8)).isEqualTo(parsed(utf8));
                }
            }
        }
        assertThat(plain).isGreaterThan(TRIES / 10);
    }

    @Test
    @DisplayName("of a message has what the parser cuts out of it")
    void messages() {
        var mutations = new Mutations(2);
        var lines =
                List.of(
                        "{\"jsonrpc\":\"2.0\",\"id\":17,\"result\":{\"content\":[{\"type\":\"text\","
                                + "\"text\":\"ü\\\"}\"}],\"isError\":false}}",
                        "{\"result\": {}, \"id\": \"a\", \"jsonrpc\": \"2.0\"}\r",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"a\":1}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\"}}");
        for (var line : lines) {
            for (int i = 0; i < TRIES; i++) {
                var utf8 = mutations.of(line.getBytes(UTF_8));
                assertThat(outcome(() -> JsonRpc.readInput(utf8)))
                        .as(() -> latin(utf8))
                        .isEqualTo(outcome(() -> JsonRpc.parseInput(utf8)));
            }
        }
    }

    private static String outcome(Supplier<JsonRpc> reading) {
        try {
            var read = reading.get();
            return String.join(
                    "|",
                    String.valueOf(read.version()),
                    text(read.id()),
                    String.valueOf(read.method()),
                    text(read.params()),
                    text(read.result()),
                    text(read.error()));
        } catch (InvalidRecordException e) {
            return e.isMalformed() + " " + e.getMessage();
        }
    }

    private static String text(@Nullable RawJson json) {
        return json == null ? "none" : latin(json.bytes());
    }

    @Test
    @DisplayName("that is large or deep is left to a parser")
    void leavesWhatIsLarge() {
        assertThat(plainly(raw("[".repeat(90) + "]".repeat(90)))).isNotNull();
        assertThat(plainly(raw("[".repeat(120) + "]".repeat(120)))).isNull();
        assertThat(plainly(raw("\"" + "a".repeat(60_000) + "\""))).isNotNull();
        assertThat(plainly(raw("\"" + "a".repeat(66_000) + "\""))).isNull();
        assertThat(plainly(raw("1".repeat(61)))).isNull();
        assertThat(plainly(raw("{\"" + "ä".repeat(490) + "\":1}"))).isNotNull();
        assertThat(plainly(raw("{\"" + "ä".repeat(510) + "\":1}"))).isNull();
        assertThat(plainly(raw("{\"\\u0061\":1}"))).isNull();
        assertThat(plainly(raw("\"\\u00E4\\t\\/\""))).isNotNull();
    }

    private static byte[] raw(String value) {
        return ("{\"raw\":" + value + "}").getBytes(UTF_8);
    }

    @Test
    @DisplayName("has the texts of each call as they were made once")
    void knowsTexts() {
        var utf8 = "{\"text\":\"tools/call\"}".getBytes(UTF_8);
        assertThat(new PlainFields(utf8, utf8.length).document(PlainFieldsTest::take))
                .containsExactly("text=tools/call");
        var name = "tools/call".getBytes(UTF_8);
        assertThat(KnownTexts.find(name, 0, name.length)).isSameAs("tools/call");
        assertThat(KnownTexts.find(name, 0, name.length - 1)).isNull();
        assertThat(KnownTexts.find(name, 0, 0)).isNull();
    }
}
