package dev.perigee.gateway.partition;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The memory for arguments of open requests")
final class OpenArgumentsTest {
    private static final int KIB = 1 << 10;
    private static final int LIMIT = 160 * KIB;

    private final OpenArguments arguments = new OpenArguments(ByteBudget.of(LIMIT));
    private long nextOffset;

    @Test
    @DisplayName("takes three quarters of it from whoever comes")
    void threeQuarters() {
        assertThat(admitAll("t", 9, false)).hasSize(9);
        assertThat(admitted("t", 10, false)).isNotNull();
        assertThat(admitted("other", 40, false)).isNull();
        assertThat(admitted("t", 20, false)).isNotNull();
        assertThat(arguments.budget().used()).isEqualTo(LIMIT / 4 * 3);
        assertThat(admitted("t", 6, false)).isNull();
    }

    @Test
    @DisplayName("takes more of it from users who have nothing open, but not from a large team")
    void newcomers() {
        admitAll("t", 12, false);
        assertThat(admitted("t", 10, true)).isNull();
        assertThat(admitted("other", 10, true)).isNotNull();
        assertThat(admitted("other", 10, false)).isNull();
        assertThat(admitted("third", 10, true)).isNotNull();
        assertThat(admitted("fourth", 11, true)).isNull();
    }

    @Test
    @DisplayName("keeps the rest for small ones, of whoever they are")
    void small() {
        admitAll("t", 12, false);
        assertThat(admitted("other", 30, true)).isNotNull();
        assertThat(admitted("other", 10, true)).isNull();
        assertThat(admitted("t", 4, false)).isNotNull();
        assertThat(admitted("t", 4, false)).isNotNull();
        assertThat(admitted("t", 2, false)).isNotNull();
        assertThat(admitted("t", 2, false)).isNull();
    }

    @Test
    @DisplayName("has its room back when a call ends, once, and the call has let go of it")
    void givenBack() {
        var call = call("t", 100);
        call.keep(arguments.admit(call, true));
        assertThat(call.isComplete()).isTrue();
        assertThat(arguments.budget().used()).isEqualTo(100 * KIB);
        assertThatThrownBy(() -> call.keep(arguments.admit(call, true)))
                .isInstanceOf(IllegalStateException.class);

        call.go(
                CallTransitions.next(
                        CallStage.ARRIVED,
                        CallEvent.REFUSED,
                        new CallFacts(
                                false, true, true, 0, false, false, false, CallFacts.Rounds.NONE)));
        call.letGo();

        assertThat(arguments.budget().used()).isZero();
        assertThat(call.read().request().arguments()).isNull();
        assertThat(call.isComplete()).isFalse();
        assertThat(admitAll("t", 12, false)).hasSize(12);
    }

    @Test
    @DisplayName("gives a room back once, and a team's part with it")
    void roomOnce() {
        var rooms = admitAll("t", 12, false);
        rooms.forEach(OpenArguments.Room::giveBack);
        rooms.forEach(OpenArguments.Room::giveBack);

        assertThat(arguments.budget().used()).isZero();
        admitAll("other", 12, false);
        assertThat(admitted("t", 10, true)).isNotNull();
    }

    @Test
    @DisplayName("keeps of what a worker may have what there is room for, and the small always")
    void adopted() {
        var kept = call("t", 150);
        kept.keep(arguments.adopt(kept));
        var large = call("t", 20);
        large.keep(arguments.adopt(large));
        var small = call("t", 3);
        for (int i = 0; i < 20; i++) {
            small = call("t", 3);
            small.keep(arguments.adopt(small));
        }

        assertThat(kept.isComplete()).isTrue();
        assertThat(large.isComplete()).isFalse();
        assertThat(small.isComplete()).isTrue();
        assertThat(arguments.budget().used()).isEqualTo((150 + 20 * 3) * KIB);
    }

    @Test
    @DisplayName("says of a request that it can never have room")
    void tooLarge() {
        assertThat(arguments.isTooLarge(call("t", 150))).isFalse();
        assertThat(arguments.isTooLarge(call("t", 151))).isTrue();
    }

    /** Each of ten KiB. */
    private List<OpenArguments.Room> admitAll(String team, int count, boolean first) {
        var rooms = new ArrayList<OpenArguments.Room>();
        for (int i = 0; i < count; i++) {
            rooms.add(requireNonNull(admitted(team, 10, first)));
        }
        return rooms;
    }

    private OpenArguments.@Nullable Room admitted(String team, int kib, boolean first) {
        return arguments.admit(call(team, kib), first);
    }

    /** One that takes so many KiB, all told. */
    private ToolCall call(String team, int kib) {
        long offset = nextOffset++;
        var text = "\"" + "x".repeat(kib * KIB - OpenArguments.BESIDES - 2) + "\"";
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("requests", 0, offset),
                        ToolRequest.call("r" + offset, team, "u", "s:echo", RawJson.of(text), null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        null,
                        null),
                "group");
    }
}
