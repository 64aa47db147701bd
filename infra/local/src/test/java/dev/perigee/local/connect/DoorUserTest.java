package dev.perigee.local.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.connect.DoorTokens.Holder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("CAL-20: servers of a door's user")
final class DoorUserTest {
    private final BlockingQueue<CatalogueFeed.Sink> opened = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();
    private final DoorUser user =
            new DoorUser(
                    new DoorUser.Key(new Holder("t1", "u1"), null),
                    new ConnectOptions("t1", "u1", null, Duration.ofMinutes(1), "1"),
                    sink -> {
                        opened.add(sink);
                        return () -> {};
                    },
                    Duration.ofMillis(1),
                    notes::add);

    private CatalogueFeed.Sink opened() throws InterruptedException {
        var sink = opened.poll(60, TimeUnit.SECONDS);
        assertThat(sink).isNotNull();
        return sink;
    }

    @Test
    @DisplayName("are read anew after a failure, and are those of before meanwhile")
    void anew() throws Exception {
        assertThat(user.use()).isTrue();
        assertThat(user.use()).isTrue();
        var first = opened();
        var offer = new Offer(List.of());
        first.put(new Input.Offered(offer));

        first.put(new Input.Failed(new IllegalStateException("no broker")));

        assertThat(notes.poll(60, TimeUnit.SECONDS)).contains("no broker");
        var second = opened();
        assertThat(user.awaitOffer()).isSameAs(offer);
        var next = new Offer(List.of());
        second.put(new Input.Offered(next));
        assertThat(user.awaitOffer()).isSameAs(next);
        assertThat(opened).as("one at a time").isEmpty();
    }

    @Test
    @DisplayName("end when nobody uses them, and are not used any more then")
    void end() {
        assertThat(user.use()).isTrue();
        assertThat(user.endIfIdle(Duration.ofHours(1))).isFalse();

        assertThat(user.endIfIdle(Duration.ZERO.minusNanos(1))).isTrue();

        assertThat(user.use()).isFalse();
    }
}
