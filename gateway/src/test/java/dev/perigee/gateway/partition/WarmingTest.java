package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.SteadyTime;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.quarantine.Death;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-17: the next worker prepares")
final class WarmingTest {
    private final OwnerBench bench = new OwnerBench();
    private final PartitionContext context = bench.context;
    private final Warming warming = new Warming(context, new Quarantine(context));

    @Test
    @DisplayName("what it will start at once, by a program that it replaces by a package")
    void whatStarts() {
        bench.install(packaged("runs"));
        bench.install(OwnerBench.config("alice", "program", "node"));
        var stopped = bench.install(packaged("stopped"));
        bench.install(stopped.withIntent(true));

        assertPrepared("w-2 runs");
    }

    @Test
    @DisplayName("nothing that sleeps, unless that was with another configuration")
    void notWhatSleeps() {
        asleep("sleeps", ConfigFingerprint.of(bench.install(packaged("sleeps")).config()));
        bench.install(packaged("changed"));
        asleep("changed", "another");

        assertPrepared("w-2 changed");
    }

    @Test
    @DisplayName("nothing that waits since workers died")
    void notWhatIsQuarantined() {
        bench.install(packaged("runs"));
        var suspect = bench.install(packaged("suspect"));
        var deaths = List.of(death("w1"), death("w2"));
        context.state()
                .suspect(
                        suspect.processId(),
                        new Suspicion(deaths, false, false, false, false, null));

        assertPrepared("w-2 runs");
    }

    @Test
    @DisplayName("nothing whose configuration is large")
    void notWhatIsLarge() {
        bench.install(packaged("runs"));
        bench.install(packaged("large", "x".repeat(64 << 10)));

        assertPrepared("w-2 runs");
    }

    private void assertPrepared(String... expected) {
        var done = new AtomicBoolean();
        var now = SteadyTime.now();
        warming.begin(new LastHeld(now, now), () -> done.set(true));
        bench.pumpUntil(done::get);
        assertThat(bench.prepared).containsExactlyInAnyOrder(expected);
    }

    private void asleep(String installation, String configHash) {
        var durable =
                """
                {"status":"online","asleep":{"config_hash":"%s"}}"""
                        .formatted(configHash);
        context.state().remember(packaged(installation).processId(), RawJson.of(durable));
    }

    private static ServerConfig packaged(String installation) {
        return packaged(installation, "");
    }

    /** Each runs another package. */
    private static ServerConfig packaged(String installation, String argument) {
        return Json.read(
                """
                {"installation_id":"%s","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"alice","user_slug":"alice","transport_type":"stdio","command":"npx",
                 "args":["-y","%s","%s"]}"""
                        .formatted(installation, installation, argument)
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }

    private Death death(String worker) {
        return new Death(worker, worker + "/1", bench.now, Duration.ofHours(3).toMillis(), false);
    }
}
