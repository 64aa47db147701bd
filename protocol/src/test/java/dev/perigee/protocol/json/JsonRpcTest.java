package dev.perigee.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonRpcTest {
    private static JsonRpc read(String text) {
        return JsonRpc.read(text.getBytes(UTF_8));
    }

    @Test
    void cutsOutWhatItCarries() {
        var read =
                read(
                        " {\"x\":{\"id\":9},\"params\" : {\"ä\":[1.50, {}] } , \"id\":\"ü\\n\","
                                + "\"method\":\"tools\\/call\",\"result\":-0.1,\"error\":\"e\"} ");

        assertThat(read)
                .isEqualTo(
                        new JsonRpc(
                                null,
                                RawJson.of("\"ü\\n\""),
                                "tools/call",
                                RawJson.of("{\"ä\":[1.50, {}] }"),
                                RawJson.of("-0.1"),
                                RawJson.of("\"e\"")));
    }

    @Test
    void aNullIsAbsent() {
        assertThat(
                        read(
                                "{\"jsonrpc\":null,\"id\":null,\"method\":null,\"params\":null,"
                                        + "\"result\":null,\"error\":null}"))
                .isEqualTo(new JsonRpc(null, null, null, null, null, null));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "42, 42",
        "999999999999999999, 999999999999999999",
        "1000000000000000000, -1",
        "-1, -1",
        "1.0, -1",
        "'\"1\"', -1",
        "true, -1"
    })
    void knowsTheNumbersThatWeGive(String id, long number) {
        assertThat(read("{\"id\":" + id + "}").number()).isEqualTo(number);
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> read("{\"method\":{}}"))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("method has a wrong type");
        assertThatThrownBy(() -> read("{\"method\":\"a\"")).hasMessageContaining("not valid JSON");
        assertThatThrownBy(() -> read("{}{}")).hasMessageContaining("more than one");
        assertThatThrownBy(() -> read("\"a\"")).hasMessageContaining("kind of JSON value");
    }

    @Test
    void writesWhatItReads() {
        assertThat(JsonRpc.read(JsonRpc.ask(7L, "tool/execute", RawJson.of("{\"a\":1}"))))
                .isEqualTo(
                        new JsonRpc(
                                "2.0",
                                RawJson.of("7"),
                                "tool/execute",
                                RawJson.of("{\"a\":1}"),
                                null,
                                null));
        assertThat(new String(JsonRpc.ask(null, "session/ack", RawJson.EMPTY_OBJECT), UTF_8))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"session/ack\",\"params\":{}}");
        assertThat(new String(JsonRpc.answer(8, RawJson.of("[]")), UTF_8))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":[]}");
    }
}
