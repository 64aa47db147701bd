package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.local.connect.DoorTokens.Holder;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: a session of a door's client")
final class DoorSessionTest {
    private static final RawJson ID = RawJson.of("1");

    private final Places places = new Places(1, 2);
    private final Places bytes = new Places(100, 200);
    private final MessageStream stream = new MessageStream(new Places(999, 999).none("u1"));
    private final DoorSession session =
            new DoorSession(
                    "s",
                    new DoorUser(
                            new DoorUser.Key(new Holder("t1", "u1"), null),
                            new ConnectOptions("t1", "u1", null, Duration.ofMinutes(1), "1"),
                            _ -> () -> {},
                            Duration.ofSeconds(5),
                            _ -> {}),
                    Objects.requireNonNull(places.take("u1")));

    private boolean opens() {
        var held = bytes.none("u1");
        assertThat(held.grow(10)).isTrue();
        try (held) {
            return session.open(ID, stream, held);
        }
    }

    @Test
    @DisplayName(
            "ends the stream of a request that is cancelled, frees its id, and later its bytes")
    void cancelled() throws Exception {
        assertThat(opens()).isTrue();
        assertThat(opens()).as("in flight").isFalse();

        session.cancel("r", ID);
        session.end(ID);

        var end = stream.poll(Duration.ZERO);
        assertThat(end).isNotNull();
        assertThat(end.send()).isNull();
        assertThat(opens()).isTrue();
        assertThat(bytes.taken()).as("the call runs until the fleet has ended it").isEqualTo(20);

        session.ended("r");
        assertThat(bytes.taken()).isEqualTo(10);

        session.cancel("s", ID);
        session.over();
        assertThat(bytes.taken()).isZero();
    }

    @Test
    @DisplayName(
            "is in use while a call runs, whether its client reads or not, and holds its bytes")
    void inUse() {
        opens();
        session.close(ID, stream);

        assertThat(session.endIfIdle(Duration.ZERO.minusNanos(1))).isFalse();
        assertThat(bytes.taken()).isEqualTo(10);

        session.send(Send.reply(ID, Messages.result(ID, RawJson.EMPTY_OBJECT)));
        assertThat(bytes.taken()).isZero();
        assertThat(session.endIfIdle(Duration.ZERO.minusNanos(1))).isTrue();
        assertThat(places.taken()).isZero();
    }

    @Test
    @DisplayName("answers what is open with an error at its end, and is not there any more")
    void over() throws Exception {
        opens();
        var listening = new MessageStream(new Places(999, 999).none("u1"));
        session.listen(listening);

        session.over();

        var reply = stream.poll(Duration.ZERO);
        assertThat(reply).isNotNull();
        var message = Objects.requireNonNull(reply.send()).message();
        assertThat(Json.tree(message.bytes()).at("/error/code").asInt(0))
                .isEqualTo(Messages.INTERNAL_ERROR);
        var end = listening.poll(Duration.ZERO);
        assertThat(end).isNotNull();
        assertThat(end.send()).isNull();
        assertThat(bytes.taken()).isZero();
        assertThatExceptionOfType(DoorRefusedException.class)
                .isThrownBy(this::opens)
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(404));
        assertThatExceptionOfType(DoorRefusedException.class)
                .isThrownBy(() -> session.listen(listening));
        assertThat(bytes.taken()).isZero();
    }
}
