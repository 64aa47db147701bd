package dev.perigee.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    record Sample(
            @Nullable String someText,
            @Nullable Long someNumber,
            @Nullable RawJson raw,
            @Nullable Instant at,
            @Nullable String last) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\": 1.10, \"b\":[1,2 , {}]}",
                "[]",
                "\"tëxt \\n with \\\"quotes\\\"\"",
                "12345678901234567890.000",
                "1e400",
                "true",
                "{ \"nested\" : { \"k\" : null } }",
                "\"\""
            })
    void rawValuesKeepEveryByte(String value) {
        var document = "{\"some_text\":\"é\",\"raw\": " + value + " ,\"last\":\"z\"}";

        var read = Json.read(bytes(document), Sample.class);

        assertThat(read.raw()).isNotNull();
        assertThat(read.raw().text()).isEqualTo(value);
        assertThat(read.last()).isEqualTo("z");
        assertThat(new String(Json.write(read), StandardCharsets.UTF_8))
                .isEqualTo("{\"some_text\":\"é\",\"raw\":" + value + ",\"last\":\"z\"}");
    }

    @Test
    void rawValuesLargerThanAnyBufferAreWrittenWhole() {
        var big = "\"" + "x".repeat(100_000) + "\"";
        var read = Json.read(bytes("{\"raw\":" + big + "}"), Sample.class);
        assertThat(Json.write(read)).hasSize(big.length() + 8);
    }

    @Test
    void nullRawIsAbsent() {
        assertThat(Json.read(bytes("{\"raw\":null}"), Sample.class).raw()).isNull();
    }

    @Test
    void lineBreaksBetweenTokensBecomeSpaces() {
        assertThat(RawJson.of("{\n \"a\":\r\n\"b\\n\"}").onOneLine().text())
                .isEqualTo("{  \"a\":  \"b\\n\"}");
    }

    @Test
    void timestampsHaveMillisecondsAndAnyOffsetIsRead() {
        var read = Json.read(bytes("{\"at\":\"2026-11-20T12:00:00+02:00\"}"), Sample.class);
        assertThat(new String(Json.write(read), StandardCharsets.UTF_8))
                .isEqualTo("{\"at\":\"2026-11-20T10:00:00.000Z\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "{\"raw\":}", "nope", "{\"some_text\":\"secret", "{} {}", "\u0000"})
    void whatIsNoJsonIsMalformedAndTheMessageShowsNoContent(String document) {
        assertThatThrownBy(() -> Json.read(bytes(document), Sample.class))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"some_text\":5}",
                "{\"some_text\":true}",
                "{\"some_number\":\"5\"}",
                "{\"some_number\":1.5}",
                "{\"at\":\"yesterday\"}",
                "{\"at\":5}",
                "[]",
                "\"text\"",
                "null"
            })
    void wrongTypesAreInvalidAndNeverCoerced(String document) {
        assertThatThrownBy(() -> Json.read(bytes(document), Sample.class))
                .isInstanceOfSatisfying(
                        InvalidRecordException.class, e -> assertThat(e.isMalformed()).isFalse());
    }

    @Test
    void theMessageNamesTheField() {
        assertThatThrownBy(() -> Json.read(bytes("{\"some_number\":\"abc\"}"), Sample.class))
                .hasMessageContaining("some_number")
                .hasMessageNotContaining("abc");
    }

    @Test
    void tooDeepIsMalformed() {
        var deep = "[".repeat(1000) + "]".repeat(1000);
        assertThatThrownBy(() -> Json.read(bytes("{\"raw\":" + deep + "}"), Sample.class))
                .isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void unknownFieldsAreIgnored() {
        assertThat(Json.read(bytes("{\"new_field\":{},\"last\":\"x\"}"), Sample.class).last())
                .isEqualTo("x");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
