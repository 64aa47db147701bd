package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.partition.StateRecord.Host;
import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.gateway.partition.StateRecord.Remembered;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach.AttachedProcess;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionStateTest {
    private static final StateTopic TOPIC = new StateTopic("mcp.state", 0, new StateSeal(null));
    private static final RecordOrigin ORIGIN = new RecordOrigin("mcp.commands", 0, 3);
    private static final String PROCESS = "s-t-u-i1";

    private final PartitionState state = new PartitionState();

    @Test
    void knowsAgainWhatWasWritten() {
        replay(TOPIC.host(new Host("w", "i")), 1);
        replay(TOPIC.instance(installed(null)), 2);
        replay(TOPIC.runtime(PROCESS, RawJson.of("{\"n\":1}")), 3);
        replay(TOPIC.command("c", remembered(CommandOutcome.COMPLETED)), 4);

        assertThat(state.host()).isEqualTo(new Host("w", "i"));
        assertThat(state.instance(PROCESS)).isEqualTo(new DesiredInstance(installed(null), 2));
        assertThat(state.runtime(PROCESS)).isEqualTo(RawJson.of("{\"n\":1}"));
        assertThat(state.command("c")).isEqualTo(remembered(CommandOutcome.COMPLETED));
        assertThat(state.instancesOf("t1", "u1")).hasSize(1);
        assertThat(state.instancesOf("t1", "u2")).isEmpty();
    }

    @Test
    void forgetsWhatHasATombstone() {
        replay(TOPIC.instance(installed(null)), 2);
        replay(TOPIC.runtime(PROCESS, RawJson.EMPTY_OBJECT), 3);
        replay(TOPIC.command("c", remembered(null)), 4);
        replay(TOPIC.noInstance(PROCESS), 5);
        replay(TOPIC.noRuntime(PROCESS), 6);
        replay(TOPIC.noCommand("c"), 7);

        assertThat(state.instances()).isEmpty();
        assertThat(state.runtime(PROCESS)).isNull();
        assertThat(state.command("c")).isNull();
    }

    @Test
    void keepsATokenThatARecordCarries() {
        replay(TOPIC.instance(installed(2L)), 9);

        assertThat(state.instance(PROCESS)).isEqualTo(new DesiredInstance(installed(2L), 2));
    }

    @Test
    void forgetsOnlyCommandsThatEndedLongAgo() {
        state.remember("old", remembered(CommandOutcome.COMPLETED));
        state.remember("running", remembered(null));

        assertThat(state.forgetCommandsBefore(Instant.EPOCH)).isEmpty();
        assertThat(state.forgetCommandsBefore(Instant.EPOCH.plusSeconds(1))).containsExactly("old");
        assertThat(state.command("running")).isNotNull();
    }

    @Test
    void showsNoSecret() {
        replay(TOPIC.instance(installed(null)), 2);

        assertThat(String.valueOf(state.instance(PROCESS))).doesNotContain("hidden");
    }

    @Test
    void restoresWhatASessionDoesNotHaveAsItIsWanted() {
        replay(TOPIC.instance(installed(null)), 2);

        assertThat(missing()).hasSize(1);
        assertThat(missing(process(2, "other"))).isEmpty();
        assertThat(missing(process(1, ConfigFingerprint.of(config())))).isEmpty();
        assertThat(missing(process(1, "other"))).hasSize(1);
        assertThat(missing(process(2, null))).hasSize(1);
    }

    @Test
    void leavesToACommandWhatItWillBring() {
        replay(TOPIC.instance(installed(null)), 2);
        state.remember("c-1", remembered(null));

        assertThat(missing()).isEmpty();
        state.remember("c-1", remembered(CommandOutcome.COMPLETED));
        assertThat(missing()).hasSize(1);
    }

    private List<DesiredInstance> missing(AttachedProcess... processes) {
        return Reconciliation.missing(state, List.of(processes));
    }

    private static AttachedProcess process(long token, @Nullable String hash) {
        return new AttachedProcess(PROCESS, token, hash, "running", null, 0, 0, null, null);
    }

    private void replay(ProducerRecord<byte[], byte[]> record, long offset) {
        state.replay(new String(record.key(), StandardCharsets.UTF_8), record.value(), offset);
    }

    private static Remembered remembered(@Nullable CommandOutcome outcome) {
        return new Remembered(ORIGIN, outcome, Instant.EPOCH);
    }

    private static Installed installed(@Nullable Long token) {
        return new Installed(config(), false, ORIGIN, "c-1", token, null);
    }

    private static ServerConfig config() {
        return Json.read(
                """
                {"installation_id":"i1","server_slug":"s","team_id":"t1","team_slug":"t",
                 "user_id":"u1","user_slug":"u","transport_type":"stdio","command":"node",
                 "env":{"KEY":"hidden"}}"""
                        .getBytes(StandardCharsets.UTF_8),
                ServerConfig.class);
    }
}
