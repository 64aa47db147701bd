package dev.perigee.gateway.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.perigee.protocol.topic.Headers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LetterBoxTest {
    private static final LetterFilter ANY = LetterFilter.at(Set.of());
    private static final Map<String, String> MARK =
            Map.of(
                    Headers.REDRIVEN,
                    "mcp.dead-letters-3@17",
                    Headers.REDRIVEN_TO,
                    "mcp.commands-0@9");

    @Test
    void takesNoLetterForAMark() {
        var forged = letter(18, "t/u", "{}");
        MARK.forEach((name, text) -> forged.headers().add(name, text.getBytes(UTF_8)));

        assertThat(look(ANY, List.of(letter(17, "t/u", "{}"), forged)))
                .extracting(Letter::place, Letter::redrivenTo)
                .containsExactly(tuple("3@17", null), tuple("3@18", null));
    }

    @Test
    void takesAMarkForOne() {
        assertThat(look(ANY, List.of(letter(17, "t/u", "{}"), record(18, "t/u", null, MARK))))
                .extracting(Letter::place, Letter::redrivenTo)
                .containsExactly(tuple("3@17", "mcp.commands-0@9"));
    }

    @Test
    void saysWhatCommandALetterIsToWhoAsksForIt() {
        var value = "{\"command_type\":\"configure\",\"payload\":{\"event\":\"mcp_recovery\"}}";
        var places = LetterFilter.at(Set.of("3@17", "3@18"));

        assertThat(look(places, List.of(letter(17, "t/u", value), letter(18, "t/u", "no json"))))
                .extracting(Letter::command)
                .containsExactly("configure mcp_recovery", null);
        assertThat(look(ANY, List.of(letter(17, "t/u", value))))
                .extracting(Letter::command)
                .containsOnlyNulls();
    }

    @Test
    void cutsWhatIsLong() {
        var much = "x".repeat(1 << 20);
        var long17 = letter(17, much, "{}");
        for (var header : List.of(Headers.REASON, Headers.DETAIL, Headers.ORIGIN)) {
            long17.headers().add(header, much.getBytes(UTF_8));
        }
        var mark =
                record(
                        18,
                        much,
                        null,
                        Map.of(
                                Headers.REDRIVEN,
                                "mcp.dead-letters-3@17",
                                Headers.REDRIVEN_TO,
                                much));

        assertThat(look(ANY, List.of(long17, mark)))
                .singleElement()
                .satisfies(
                        it ->
                                assertThat(
                                                List.of(
                                                        String.valueOf(it.key()),
                                                        it.reason(),
                                                        it.detail(),
                                                        it.origin(),
                                                        String.valueOf(it.redrivenTo())))
                                        .allMatch(text -> text.length() == Letter.LONGEST));
    }

    private static List<Letter> look(
            LetterFilter filter, List<ConsumerRecord<byte[], byte[]>> records) {
        return LetterBox.look(new ListedTail(records), filter, null).letters();
    }

    private static ConsumerRecord<byte[], byte[]> letter(long offset, String key, String value) {
        return record(
                offset,
                key,
                value,
                Map.of(
                        Headers.REASON,
                        "invalid",
                        Headers.DETAIL,
                        "for a test",
                        Headers.ORIGIN,
                        "mcp.commands-1@" + offset));
    }

    private static ConsumerRecord<byte[], byte[]> record(
            long offset, String key, @Nullable String value, Map<String, String> headers) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        "mcp.dead-letters",
                        3,
                        offset,
                        key.getBytes(UTF_8),
                        value == null ? null : value.getBytes(UTF_8));
        headers.forEach((name, text) -> record.headers().add(name, text.getBytes(UTF_8)));
        return record;
    }
}
