package dev.perigee.local.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.recording.RecordingJson;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Results are compared by structure")
final class ResultDiffTest {
    private static List<String> diff(String before, String after, CompareRules.Results... rules) {
        return ResultDiff.of(
                        RecordingJson.MAPPER.readTree(before),
                        RecordingJson.MAPPER.readTree(after),
                        List.of(rules))
                .stream()
                .map(Change::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":1}           | {\"a\":2}                | changed a",
                "{\"a\":1}           | {\"a\":\"1\"}            | changed a",
                "{\"a\":1}           | {}                       | removed a",
                "{}                  | {\"a\":{\"b\":1}}        | added a",
                "{\"a\":[1,2]}       | {\"a\":[1,2,3]}          | added a[2]",
                "{\"a\":[1,{\"b\":2}]} | {\"a\":[1,{\"b\":3}]}  | changed a[1].b",
                "{\"a\":null}        | {}                       | removed a",
                "{\"a\":\"x\"}       | {\"a\":\"y\"}            | changed a",
                "1                   | 2                        | changed (whole)"
            })
    void finds(String before, String after, String change) {
        assertThat(diff(before, after)).containsExactly(change);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":1,\"b\":2}   | {\"b\":2,\"a\":1}",
                "{\"a\":1}           | {\"a\":1.0}",
                "{\"a\":\"masked-0123456789ab!\"} | {\"a\":\"masked-ba9876543210!\"}",
                "{\"a\":\"{\\\"x\\\":1,\\\"y\\\":2}\"} | {\"a\":\"{\\\"y\\\": 2, \\\"x\\\": 1}\"}"
            })
    void findsNothing(String before, String after) {
        assertThat(diff(before, after)).isEmpty();
    }

    @Test
    @DisplayName("but for what the rules leave out")
    void rules() {
        var rules =
                new CompareRules.Results(
                        List.of(PathPattern.of("**.at"), PathPattern.of("a[*].id")),
                        Map.of(PathPattern.of("price"), 0.05),
                        List.of(PathPattern.of("tags")));

        assertThat(diff("{\"x\":{\"at\":1}}", "{\"x\":{\"at\":2}}", rules)).isEmpty();
        assertThat(diff("{\"at\":1}", "{}", rules)).isEmpty();
        assertThat(diff("{\"a\":[{\"id\":1}]}", "{\"a\":[{\"id\":2}]}", rules)).isEmpty();
        assertThat(diff("{\"price\":100}", "{\"price\":104}", rules)).isEmpty();
        assertThat(diff("{\"price\":100}", "{\"price\":106}", rules)).hasSize(1);
        assertThat(diff("{\"tags\":[1,2,2]}", "{\"tags\":[2,1,2]}", rules)).isEmpty();
        assertThat(diff("{\"tags\":[1,2,2]}", "{\"tags\":[2,1,1]}", rules)).hasSize(2);
        assertThat(diff("{\"id\":1}", "{\"id\":2}", rules)).hasSize(1);
    }

    @Test
    @DisplayName("also within arrays without order")
    void unordered() {
        var rules =
                new CompareRules.Results(
                        List.of(PathPattern.of("**.at")),
                        Map.of(PathPattern.of("a[*].price"), 0.05),
                        List.of(PathPattern.of("a")));

        assertThat(
                        diff(
                                "{\"a\":[\"masked-0123456789ab\",{\"at\":1,\"x\":1},{\"price\":100}]}",
                                "{\"a\":[{\"price\":101},{\"x\":1,\"at\":2},\"masked-ba9876543210\"]}",
                                rules))
                .isEmpty();
        assertThat(diff("{\"a\":[{\"x\":1},2]}", "{\"a\":[2,{\"x\":2}]}", rules)).hasSize(2);
    }

    @Test
    @DisplayName("and no more places are found than a person reads")
    void bounded() {
        var before = "[" + "1,".repeat(1_000) + "1]";
        assertThat(diff(before, before.replace('1', '2'))).hasSize(ResultDiff.MOST);
    }
}
