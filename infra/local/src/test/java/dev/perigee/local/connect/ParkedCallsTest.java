package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.DoorCall.Subject;
import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.json.RawJson;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: calls that wait for a retry")
final class ParkedCallsTest {
    private final AtomicLong time = new AtomicLong();
    private final ParkedCalls parked = new ParkedCalls(() -> "s", time::get);
    private final Places places = new Places(1, 2);
    private final DoorCall call =
            new DoorCall(
                    subject("u1", null, "tools/call", "d"),
                    RawJson.of("1"),
                    new MessageStream(places.none("u1")),
                    parked::park,
                    Objects.requireNonNull(places.take("u1")),
                    places.none("u1"));

    private static Subject subject(
            String user, @Nullable String server, String method, String digest) {
        return new Subject(new DoorUser.Key(new Holder("t1", user), server), method, digest);
    }

    @Test
    @DisplayName("are found once, by their own user for the same request only")
    void found() {
        var state = parked.park(call);

        assertThat(parked.unpark(state, subject("u2", null, "tools/call", "d")))
                .as("another of the team")
                .isNull();
        assertThat(parked.unpark(state, subject("u1", "files", "tools/call", "d"))).isNull();
        assertThat(parked.unpark(state, subject("u1", null, "prompts/get", "d"))).isNull();
        assertThat(parked.unpark(state, subject("u1", null, "tools/call", "e"))).isNull();
        assertThat(parked.unpark("guessed", call.subject())).isNull();
        assertThat(parked.unpark(state, call.subject())).isSameAs(call);
        assertThat(parked.unpark(state, call.subject())).isNull();
    }

    @Test
    @DisplayName("end when nobody comes")
    void end() {
        var state = parked.park(call);
        time.addAndGet(ParkedCalls.PARKED.toNanos());
        parked.sweep();
        assertThat(places.taken()).isEqualTo(1);

        time.addAndGet(1);
        parked.sweep();

        assertThat(places.taken()).isZero();
        assertThat(parked.unpark(state, call.subject())).isNull();
    }
}
