package dev.perigee.gateway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditsTest {
    /** The cases of RFC 7396 whose patch is an object. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"a\":\"b\"}; {\"a\":\"c\"}; {\"a\":\"c\"}",
                "{\"a\":\"b\"}; {\"b\":\"c\"}; {\"a\":\"b\",\"b\":\"c\"}",
                "{\"a\":\"b\"}; {\"a\":null}; {}",
                "{\"a\":\"b\",\"b\":\"c\"}; {\"a\":null}; {\"b\":\"c\"}",
                "{\"a\":[\"b\"]}; {\"a\":\"c\"}; {\"a\":\"c\"}",
                "{\"a\":\"c\"}; {\"a\":[\"b\"]}; {\"a\":[\"b\"]}",
                "{\"a\":{\"b\":\"c\"}}; {\"a\":{\"b\":\"d\",\"c\":null}}; {\"a\":{\"b\":\"d\"}}",
                "{\"a\":[{\"b\":\"c\"}]}; {\"a\":[1]}; {\"a\":[1]}",
                "{\"e\":null}; {\"a\":1}; {\"e\":null,\"a\":1}",
                "[1,2]; {\"a\":\"b\",\"c\":null}; {\"a\":\"b\"}",
                "{}; {\"a\":{\"bb\":{\"ccc\":null}}}; {\"a\":{\"bb\":{}}}",
                "no json; {\"a\":1}; {\"a\":1}",
            })
    void mergesAsTheRfcSays(String value, String patch, String result) {
        assertThat(edited(Edits.none().patch(patch), value)).isEqualTo(result);
    }

    @Test
    void leavesTheBytesAloneWithoutAny() {
        var value = "{ \"a\" : 1.00 }".getBytes(StandardCharsets.UTF_8);

        assertThat(Edits.none().apply(value)).isSameAs(value);
        assertThat(Edits.none().apply(null)).isNull();
    }

    @Test
    void setsFieldsByPath() {
        var edits =
                Edits.none()
                        .patch("{\"a\":{\"x\":1,\"y\":2}}")
                        .set("a.x", "null")
                        .set("a.b.c", "[1,2]")
                        .set("d", "plain text");

        assertThat(edited(edits, "{}"))
                .isEqualTo("{\"a\":{\"y\":2,\"b\":{\"c\":[1,2]}},\"d\":\"plain text\"}");
    }

    @Test
    void keepsLongNumbers() {
        assertThat(edited(Edits.none().set("a", "1"), "{\"n\":0.12345678901234567890123}"))
                .contains("0.12345678901234567890123");
    }

    @Test
    void refusesAPatchThatIsNoObject() {
        assertThatThrownBy(() -> Edits.none().patch("[]"))
                .isInstanceOf(InvalidRecordException.class);
    }

    private static String edited(Edits edits, String value) {
        var bytes = edits.apply(value.getBytes(StandardCharsets.UTF_8));
        var text = new String(Objects.requireNonNull(bytes), StandardCharsets.UTF_8);
        assertThat(Json.tree(bytes).isObject()).isTrue();
        return text;
    }
}
