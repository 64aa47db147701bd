package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: messages on their way to a door's client")
final class MessageStreamTest {
    private static final RawJson ID = RawJson.of("1");
    private static final RawJson MESSAGE = RawJson.of("{\"large\":true}");
    private static final Send QUESTION = Send.question(ID, "name", MESSAGE);

    /** Room for two messages of one user. */
    private final Places bytes = new Places(2L * MESSAGE.size(), 99L * MESSAGE.size());

    private final Places.Place counted = bytes.none("u1");
    private final MessageStream stream = new MessageStream(counted);

    @Test
    @DisplayName("have their questions counted until they are written, and left out beyond")
    void questions() throws Exception {
        stream.add(QUESTION);
        stream.add(Send.withdrawal(ID, MESSAGE));
        stream.add(QUESTION);
        assertThat(bytes.taken()).isEqualTo(2L * MESSAGE.size());

        assertThat(next()).isEqualTo(QUESTION);
        stream.add(QUESTION);
        assertThat(next()).isEqualTo(Send.withdrawal(ID, MESSAGE));
        assertThat(next()).isEqualTo(QUESTION);
        assertThat(next()).isNull();
        assertThat(bytes.taken()).isZero();
    }

    @Test
    @DisplayName("have no question left out for notes, which are bounded by themselves")
    void notes() throws Exception {
        for (int i = 0; i <= MessageStream.MOST_NOTES; i++) {
            stream.add(Send.note(ID, MESSAGE));
        }
        stream.add(QUESTION);
        stream.end();

        for (int i = 0; i < MessageStream.MOST_NOTES; i++) {
            assertThat(next()).isEqualTo(Send.note(ID, MESSAGE));
        }
        assertThat(next()).isEqualTo(QUESTION);
        assertThat(stream.poll(Duration.ZERO)).isEqualTo(new MessageStream.Item(null));
    }

    @Test
    @DisplayName("hold what a reply takes until the response is over; one without room is an error")
    void replies() throws Exception {
        stream.add(QUESTION);
        stream.add(Send.reply(ID, MESSAGE));
        stream.add(Send.reply(ID, MESSAGE));

        assertThat(next()).isEqualTo(QUESTION);
        assertThat(next()).isEqualTo(Send.reply(ID, MESSAGE));
        var refused = next();
        assertThat(refused).isNotNull();
        assertThat(refused.message().text()).contains("too much is on its way");
        assertThat(bytes.taken()).isEqualTo(MESSAGE.size());

        counted.close();
        stream.add(QUESTION);
        assertThat(bytes.taken()).isZero();
    }

    private @Nullable Send next() throws InterruptedException {
        var item = stream.poll(Duration.ZERO);
        return item == null ? null : item.send();
    }
}
