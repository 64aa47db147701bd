package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a worker is given when a partition comes to it")
final class RestorationTest {
    private final OwnerBench bench = new OwnerBench();
    private final PartitionContext context = bench.context;

    @Test
    @DisplayName("TEN-10: answers for that worker's death, but for what it leaves asleep")
    void answersForADeath() {
        var _ = given("sleeps", "online", null);
        var _ = given("lost", "connecting", null);
        var failed = given("failed", "error", null);
        var changed = given("changed", "online", "another");
        var awake = bench.install("alice", "awake");
        var restoration = new Restoration(context, new Quarantine(context), () -> {});

        assertThat(restoration.begin(bench.session, List.of())).isTrue();

        assertThat(bench.session.awake().ran(bench.now))
                .containsOnlyKeys(failed.processId(), changed.processId(), awake.processId());
        bench.pumpUntil(() -> bench.session.restoring().isEmpty());
    }

    /** It slept, with this configuration unless a hash says otherwise. */
    private DesiredInstance given(String installation, String status, @Nullable String otherHash) {
        var instance = bench.install("alice", installation);
        var hash = otherHash == null ? ConfigFingerprint.of(instance.config()) : otherHash;
        var durable =
                """
                {"status":"%s","asleep":{"config_hash":"%s"}}"""
                        .formatted(status, hash);
        context.state().remember(instance.processId(), RawJson.of(durable));
        return instance;
    }
}
