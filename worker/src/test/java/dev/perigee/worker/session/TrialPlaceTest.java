package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.LinkMethod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-10: The place for an instance that starts alone")
final class TrialPlaceTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private LinkServerFixture link;

    @BeforeEach
    void start() throws IOException {
        link = new LinkServerFixture(LinkServerFixture.OPTIONS, Duration.ofSeconds(10));
    }

    @AfterEach
    void stop() {
        link.close();
    }

    @Test
    @DisplayName("is one session's of all gateways, until it is given back")
    void oneAtATime() throws Exception {
        try (var one = attached("g-1", 1);
                var other = attached("g-2", 2)) {
            assertThat(ask(one, 1, "a", LONG)).isTrue();
            assertThat(ask(other, 2, "b", LONG)).isFalse();
            assertThat(ask(one, 1, "c", LONG)).as("its own next one").isTrue();
            assertThat(ask(other, 2, null, LONG)).as("not his to give back").isFalse();
            assertThat(ask(other, 2, "b", LONG)).isFalse();

            assertThat(ask(one, 1, null, LONG)).isFalse();
            assertThat(ask(other, 2, "b", LONG)).isTrue();
            assertThat(ask(one, 1, "a", LONG)).isFalse();
        }
    }

    @Test
    @DisplayName("is kept by a session whose gateway is away, and by its next owner")
    void keptOverOwners() throws Exception {
        try (var other = attached("g-2", 2)) {
            try (var one = attached("g-1", 1)) {
                assertThat(ask(one, 1, "a", LONG)).isTrue();
                one.cut();
            }
            assertThat(ask(other, 2, "b", LONG)).isFalse();
            try (var next = link.gateway("g-3")) {
                attach(next, "g-3", 1, 9, false);
                assertThat(ask(next, 1, "a", LONG)).isTrue();
                assertThat(ask(other, 2, "b", LONG)).isFalse();
            }
        }
    }

    @Test
    @DisplayName("is free when the session ends, and when its time is up")
    void freed() throws Exception {
        try (var one = attached("g-1", 1);
                var other = attached("g-2", 2)) {
            assertThat(ask(one, 1, "a", LONG)).isTrue();
            one.ask(LinkMethod.RELEASE, new Attach.Release(1, 5, false), Attach.Released.class);
            await().until(() -> ask(other, 2, "b", Duration.ofMillis(1)));
            attach(one, "g-1", 1, 6, true);
            await().until(() -> ask(one, 1, "a", LONG));
        }
    }

    private RawGateway attached(String id, int partition) throws Exception {
        var gateway = link.gateway(id);
        attach(gateway, id, partition, 5, true);
        return gateway;
    }

    private static void attach(
            RawGateway gateway, String id, int partition, long epoch, boolean create)
            throws Exception {
        gateway.ask(
                LinkMethod.ATTACH,
                new Attach.Request(partition, epoch, id, 1, create, List.of(), 1 << 20, null),
                Attach.Result.class);
    }

    private static boolean ask(
            RawGateway gateway, int partition, @Nullable String processId, Duration atMost)
            throws Exception {
        return gateway.ask(
                        LinkMethod.TRIAL,
                        new Attach.Trial(partition, processId, atMost.toMillis()),
                        Attach.TrialPlace.class)
                .granted();
    }
}
