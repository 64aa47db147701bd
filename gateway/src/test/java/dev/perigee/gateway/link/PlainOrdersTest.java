package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.link.ToolOrder.Execute;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Orders written without the mapper")
class PlainOrdersTest {
    private static final RecordOrigin ORIGIN = new RecordOrigin("mcp.tool-requests", 3, 5L << 32);
    private static final RawJson ARGUMENTS =
            RawJson.of("{\"a\":[1,{\"b\":\"}\\u00fc ü\"}], \"c\":1.50}");
    private static final ToolRequest CALL =
            ToolRequest.call("r-1", "t", "u", "s:t", ARGUMENTS, 30_000L);
    private static final Execute PLAIN =
            new Execute(1, ORIGIN, "p", CALL, Instant.EPOCH, null, null, null);
    private static final long ID = 40;

    @Test
    @DisplayName("a plain call needs no mapper, and has the bytes that it would write")
    void plainCall() {
        assertThat(PlainOrders.message(ID, PLAIN)).isEqualTo(mapped(ID, PLAIN));
    }

    @Test
    @DisplayName("no field is forgotten, also none that is added to an order or a request")
    void eachField() throws ReflectiveOperationException {
        for (var order : withEachComponent(Execute.class, PLAIN)) {
            assertSame(ID, order);
        }
        for (var request : withEachComponent(ToolRequest.class, CALL)) {
            assertSame(ID, new Execute(1, ORIGIN, "p", request, Instant.EPOCH, null, null, null));
        }
    }

    @Test
    @DisplayName("whatever the texts, numbers and times, the bytes are the mapper's")
    void odd() {
        long seed = 17;
        var random = new Random(seed);
        int plain = 0;
        for (int i = 0; i < 3_000; i++) {
            var order = order(random);
            var id = number(random);
            assertSame(id, order);
            plain += PlainOrders.message(id, order) == null ? 0 : 1;
        }
        assertThat(plain).as("seed %d", seed).isBetween(300, 2_700);
    }

    private static void assertSame(long id, Execute order) {
        var plain = PlainOrders.message(id, order);
        if (plain != null) {
            assertThat(new String(plain, UTF_8)).isEqualTo(new String(mapped(id, order), UTF_8));
        }
    }

    private static byte[] mapped(long id, Execute order) {
        return new LinkFrame.Request(id, LinkMethod.EXECUTE, Json.raw(order)).encode();
    }

    /** The record once with each of its components, alone, another one. */
    private static <T extends Record> List<T> withEachComponent(Class<T> type, T of)
            throws ReflectiveOperationException {
        var components = type.getRecordComponents();
        var types = Arrays.stream(components).map(RecordComponent::getType);
        var constructor = type.getDeclaredConstructor(types.toArray(Class[]::new));
        var all = new ArrayList<T>();
        for (int i = 0; i < components.length; i++) {
            var values = new @Nullable Object[components.length];
            for (int j = 0; j < components.length; j++) {
                values[j] = components[j].getAccessor().invoke(of);
            }
            values[i] = other(components[i].getType());
            all.add(constructor.newInstance(values));
        }
        return all;
    }

    private static Object other(Class<?> type) {
        return switch (type.getSimpleName()) {
            case "int", "Integer" -> 7;
            case "Long" -> 70_000L;
            case "Boolean" -> true;
            case "String" -> "other";
            case "List" -> List.of("progress");
            case "Instant" -> Instant.ofEpochMilli(1_700_000_000_123L);
            case "RawJson" -> RawJson.of("[1]");
            case "RecordOrigin" -> new RecordOrigin("o", 1, 2);
            case "ReplyTo" -> new ReplyTo("replies", 2, new byte[] {0, -1, 7});
            case "ToolRequest" -> ToolRequest.call("r-2", "t", "u", "s:t", ARGUMENTS, null);
            default -> throw new IllegalArgumentException("no sample of " + type);
        };
    }

    private static Execute order(Random random) {
        var request =
                new ToolRequest(
                        "r" + text(random).replaceAll("[/\\x7f]", ""),
                        "t",
                        "u",
                        "m" + text(random),
                        some(random, text(random)),
                        some(random, text(random)),
                        some(random, ARGUMENTS),
                        some(random, 1_000 + number(random) / 2),
                        some(random, text(random)),
                        some(random, 1 + number(random) / 2),
                        null,
                        some(random, RawJson.EMPTY_OBJECT),
                        some(random, text(random)),
                        null,
                        null);
        return new Execute(
                random.nextInt(),
                new RecordOrigin("o" + text(random), random.nextInt(1_000), number(random)),
                some(random, text(random)),
                request,
                time(random),
                some(random, new ReplyTo("r", some(random, random.nextInt()), bytes(random))),
                some(random, text(random)),
                some(random.nextInt(8) == 0 ? random : null, true),
                some(random, time(random)),
                some(random, random.nextLong()),
                some(random, text(random)),
                some(random, RawJson.of("null")));
    }

    private static <T> @Nullable T some(@Nullable Random random, T value) {
        return random != null && random.nextBoolean() ? value : null;
    }

    private static String text(Random random) {
        if (random.nextInt(10) > 0) {
            return "plain ~{}[]:,'".repeat(random.nextInt(3));
        }
        var odd =
                List.of("\"", "\\", "/", "<&>", "ü", "\u007f", "\u2028", "😀", "\u20ac", "\ufffd");
        return odd.get(random.nextInt(odd.size()));
    }

    private static long number(Random random) {
        return random.nextLong() >>> (1 + random.nextInt(62));
    }

    private static byte[] bytes(Random random) {
        var bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Instant time(Random random) {
        return random.nextInt(10) == 0
                ? Instant.ofEpochSecond(-1_000_000_000_000L)
                : Instant.ofEpochSecond(number(random) >>> 25, random.nextInt(1_000_000_000));
    }
}
