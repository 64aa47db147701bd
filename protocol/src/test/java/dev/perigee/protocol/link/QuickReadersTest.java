package dev.perigee.protocol.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Fields;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.link.ToolOrder.Execute;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@DisplayName("What each call has, read by hand")
class QuickReadersTest {
    private static final RecordOrigin ORIGIN = new RecordOrigin("mcp.tool-requests", 3, 5L << 32);
    private static final ReplyTo REPLY = new ReplyTo("mcp.replies", 2, new byte[] {0, -1, 7});
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final ToolRequest FULL =
            new ToolRequest(
                    "r-1",
                    "t",
                    "u \"ü\"",
                    "tools/call",
                    "s:t",
                    "i",
                    RawJson.of("{\"a\":[1,{\"b\":\"}\"}],\"c\":1.50}"),
                    7L,
                    "q",
                    3L,
                    List.of("progress", "input"),
                    RawJson.of("{\"m\":1}"),
                    "info",
                    4L,
                    5L,
                    6L,
                    "r-0",
                    "i-0",
                    RawJson.of("{\"question\":{}}"));
    private static final ToolRequest PLAIN =
            ToolRequest.call("r-1", "t", "u", "s:t", RawJson.of("{}"), null);

    private static final List<String> OTHERS =
            List.of(
                    "null",
                    "true",
                    "0",
                    "-7",
                    "1.0",
                    "99999999999",
                    "99999999999999999999",
                    "\"\"",
                    "\" \"",
                    "\"5\"",
                    "\"AP8H\"",
                    "\"2026-01-02T03:04:05+01:00\"",
                    "[1]",
                    "{}",
                    "{\"topic\":\"t\",\"partition\":1,\"offset\":2}");

    /** What is read, and how by hand. */
    record Sample<T>(T value, Class<T> type, Function<Fields, T> reader) {
        T quickly(byte[] utf8) {
            return Json.read(utf8, type, reader);
        }

        /** Fails where the mapper would be asked: it would make a map of it. */
        Object onlyQuickly(byte[] utf8) {
            return Json.read(utf8, Object.class, reader::apply);
        }

        T slowly(byte[] utf8) {
            return Json.read(utf8, type);
        }

        @Override
        public String toString() {
            return type.getSimpleName();
        }
    }

    static Stream<Sample<?>> samples() {
        return Stream.of(
                new Sample<>(FULL, ToolRequest.class, ToolRequest::of),
                new Sample<>(PLAIN, ToolRequest.class, ToolRequest::of),
                new Sample<>(ORIGIN, RecordOrigin.class, RecordOrigin::of),
                new Sample<>(
                        new Execute(
                                1,
                                ORIGIN,
                                "p",
                                FULL,
                                Instant.ofEpochMilli(1),
                                REPLY,
                                TRACE,
                                true,
                                Instant.ofEpochMilli(2),
                                3L,
                                "a=1",
                                null),
                        Execute.class,
                        Execute::of),
                new Sample<>(
                        new Execute(1, ORIGIN, null, PLAIN, Instant.EPOCH, null, null, null),
                        Execute.class,
                        Execute::of),
                new Sample<>(
                        new InstanceEvent(
                                1,
                                "p",
                                2,
                                3,
                                "perigee.tool.result",
                                "k",
                                RawJson.of("{\"a\":null}"),
                                RawJson.of("[]"),
                                ORIGIN,
                                REPLY,
                                TRACE,
                                null),
                        InstanceEvent.class,
                        InstanceEvent::of),
                new Sample<>(
                        new InstanceEvent(
                                1, "p", 2, 3, "t", "k", null, null, null, null, null, null),
                        InstanceEvent.class,
                        InstanceEvent::of));
    }

    @ParameterizedTest
    @MethodSource("samples")
    @DisplayName("is read as it was written, without the mapper")
    void withoutMapper(Sample<?> sample) {
        var written = Json.write(sample.value());

        var read = sample.onlyQuickly(written);

        assertThat(read).hasSameClassAs(sample.value());
        assertThat(new String(Json.write(read), UTF_8)).isEqualTo(new String(written, UTF_8));
    }

    @ParameterizedTest
    @MethodSource("samples")
    @DisplayName("is what the mapper makes of it, and wrong in the mapper's words")
    void likeTheMapper(Sample<?> sample) {
        for (var document : variants(Json.tree(Json.write(sample.value())))) {
            var utf8 = document.getBytes(UTF_8);
            assertThat(outcome(() -> sample.quickly(utf8)))
                    .as(document)
                    .isEqualTo(outcome(() -> sample.slowly(utf8)));
        }
    }

    private static String outcome(Supplier<?> reading) {
        try {
            return new String(Json.write(reading.get()), UTF_8);
        } catch (InvalidRecordException e) {
            return e.isMalformed() + " " + e.getMessage();
        }
    }

    /** The document with each field missing, and of each type; and no document. */
    private static List<String> variants(JsonNode whole) {
        var text = whole.toString();
        var variants = new ArrayList<String>();
        vary((ObjectNode) whole, () -> variants.add(whole.toString()));
        variants.addAll(List.of("", "null", "[]", "1", text + " ", text + " {}", "{"));
        variants.add(text.substring(0, text.length() - 1));
        variants.add(text.replaceFirst("[{]", "{ \"new\" : [{}, 1],"));
        variants.add(text.replaceAll("(\"(seq|offset)\":)", "$10,$1"));
        variants.add(text.replaceAll("(\"(topic|team_id|key)\":)", "$1\"first\",$1"));
        return variants;
    }

    private static void vary(ObjectNode object, Runnable whenVaried) {
        for (var name : List.copyOf(object.propertyNames())) {
            var value = object.remove(name);
            whenVaried.run();
            for (var other : OTHERS) {
                object.set(name, Json.tree(other.getBytes(UTF_8)));
                whenVaried.run();
            }
            object.set(name, value);
            if (value instanceof ObjectNode inner) {
                vary(inner, whenVaried);
            }
        }
    }
}
