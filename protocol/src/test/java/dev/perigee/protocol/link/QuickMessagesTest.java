package dev.perigee.protocol.link;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.Mutations;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.ToolOrder.Execute;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The two messages that each call has, read in one go")
class QuickMessagesTest {
    private static final Execute ORDER =
            new Execute(
                    1,
                    new RecordOrigin("mcp.tool-requests", 3, 5),
                    "p",
                    ToolRequest.call("r", "t", "u", "s:t", RawJson.of("{\"a\":\"}\"}"), null),
                    Instant.EPOCH,
                    null,
                    null,
                    null);
    private static final InstanceEvent EVENT =
            new InstanceEvent(
                    1, "p", 2, 3, "t", "k", RawJson.of("{}"), null, null, null, null, null);

    private static final byte[] ORDERED =
            new LinkFrame.Request(40, LinkMethod.EXECUTE, Json.raw(ORDER)).encode();
    private static final byte[] TOLD =
            new LinkFrame.Notification(LinkMethod.EVENT, Json.raw(EVENT)).encode();

    @Test
    void asWritten() {
        assertThat(ToolOrder.Ordered.read(ORDERED)).isEqualTo(new ToolOrder.Ordered(40, ORDER));
        assertThat(InstanceEvent.readMessage(TOLD)).isEqualTo(EVENT);
    }

    @Test
    void neitherIsTheOther() {
        assertThat(ToolOrder.Ordered.read(TOLD)).isNull();
        assertThat(InstanceEvent.readMessage(ORDERED)).isNull();
        assertThat(ToolOrder.Ordered.read(TOLD)).isNull();
        assertThat(ToolOrder.Ordered.read(new LinkFrame.Response(1, RawJson.EMPTY_OBJECT).encode()))
                .isNull();
    }

    @Test
    @DisplayName("what is read in one go is what it is for every other reader")
    void orders() {
        for (var message : variants(new String(ORDERED, UTF_8))) {
            var utf8 = message.getBytes(UTF_8);
            var quick = ToolOrder.Ordered.read(utf8);
            if (quick != null) {
                assertThat(outcome(() -> slowly(utf8))).as(message).isEqualTo(quick.toString());
            }
        }
    }

    @Test
    @DisplayName("an order with any bytes changed is what it is for every other reader")
    void changedOrders() {
        var mutations = new Mutations(3);
        int read = 0;
        for (int i = 0; i < 5_000; i++) {
            var utf8 = mutations.of(ORDERED);
            var buffer = Arrays.copyOf(utf8, utf8.length + 9);
            buffer[utf8.length] = '}';
            var inPlace = ToolOrder.Ordered.read(buffer, utf8.length);
            Arrays.fill(buffer, (byte) '!');
            var quick = ToolOrder.Ordered.read(utf8);
            if (inPlace != null) {
                read++;
                assertThat(inPlace).isEqualTo(slowly(utf8));
            }
            if (quick != null) {
                assertThat(slowly(utf8)).as(new String(utf8, ISO_8859_1)).isEqualTo(quick);
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    void events() {
        for (var message : variants(new String(TOLD, UTF_8))) {
            var utf8 = message.getBytes(UTF_8);
            var quick = InstanceEvent.readMessage(utf8);
            if (quick != null) {
                assertThat(outcome(() -> slowlyTold(utf8))).as(message).isEqualTo(quick.toString());
            }
        }
    }

    private static ToolOrder.@Nullable Ordered slowly(byte[] utf8) {
        return LinkFrame.decode(utf8) instanceof LinkFrame.Request(var id, var method, var params)
                        && method.equals(LinkMethod.EXECUTE)
                ? new ToolOrder.Ordered(id, Json.read(params, Execute.class))
                : null;
    }

    private static @Nullable InstanceEvent slowlyTold(byte[] utf8) {
        return LinkFrame.decode(utf8) instanceof LinkFrame.Notification(var method, var params)
                        && method.equals(LinkMethod.EVENT)
                ? Json.read(params, InstanceEvent.class)
                : null;
    }

    private static String outcome(Supplier<?> reading) {
        try {
            return String.valueOf(reading.get());
        } catch (InvalidRecordException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** The message in other words, with something else in it, and cut off anywhere. */
    private static List<String> variants(String whole) {
        var variants = new ArrayList<String>();
        for (int end = 0; end <= whole.length(); end++) {
            variants.add(whole.substring(0, end));
            variants.add(whole.substring(0, end) + "}");
            variants.add(whole.substring(0, end) + " " + whole.substring(end));
            variants.add(whole.substring(0, end) + "0" + whole.substring(end));
            variants.add(whole.substring(0, end) + ",\"id\":5" + whole.substring(end));
            variants.add(whole.substring(0, end) + ",\"x\":{}" + whole.substring(end));
        }
        for (var id : List.of("", "null", "\"40\"", "-1", "00", "040", "4e1", "9".repeat(19))) {
            variants.add(whole.replace("\"id\":40", "\"id\":" + id));
        }
        variants.add(whole.replace("2.0", "1.0"));
        variants.add(whole.replaceFirst("\"method\":", "\"id\":7,\"method\":"));
        return variants;
    }
}
