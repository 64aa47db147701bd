package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.RememberedStatus;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class DurableStateTest {
    private static final Instant CRASH = Instant.parse("2026-11-20T10:00:00.123Z");

    @Test
    @DisplayName("OWN-13: a gateway reads and changes the status, and leaves all else as it was")
    void statusIsTheGatewaysToo() {
        var state =
                new DurableState(
                        ServerStatus.ONLINE,
                        "Running",
                        true,
                        List.of(CRASH),
                        Set.of("a", "b"),
                        new Asleep(CRASH, "a-hash", "tools"));

        assertThat(RememberedStatus.read(state.write()))
                .isEqualTo(new RememberedStatus(ServerStatus.ONLINE, "Running"));
        var changed = new RememberedStatus(ServerStatus.CONNECTING, "Lost").in(state.write());
        assertThat(DurableState.read(changed))
                .isEqualTo(
                        new DurableState(
                                ServerStatus.CONNECTING,
                                "Lost",
                                true,
                                List.of(CRASH),
                                Set.of("a", "b"),
                                new Asleep(CRASH, "a-hash", "tools")));
        assertThat(RememberedStatus.isAsleep(changed, "a-hash")).isTrue();
        assertThat(RememberedStatus.isAsleep(changed, "another")).isFalse();
        var failed = new RememberedStatus(ServerStatus.ERROR, "No").in(state.write());
        assertThat(RememberedStatus.isAsleep(failed, "a-hash")).isFalse();
        assertThat(RememberedStatus.isAsleep(DurableState.none().write(), "a-hash")).isFalse();
        assertThat(RememberedStatus.isAsleep(null, "a-hash")).isFalse();
        assertThat(RememberedStatus.read(null)).isNull();
    }
}
