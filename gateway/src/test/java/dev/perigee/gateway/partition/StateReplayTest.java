package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.GatewaySettings;
import dev.perigee.gateway.partition.StateRecord.Host;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.RawJson;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

final class StateReplayTest {
    private static final String OLD = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private static final String NEW = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    private static final RawJson VALUE = RawJson.of("{\"crashes\":1}");

    private static StateSeal seal(String keys) {
        var texts =
                Map.of(
                        "kafka.bootstrap.servers", "127.0.0.1:1",
                        "workers", "ws://127.0.0.1:1/link",
                        "state.encryption-keys", keys);
        return new StateSeal(
                GatewaySettings.SCHEMA.read(texts).valueOrNull(GatewaySettings.STATE_KEYS));
    }

    private static StateTopic topic(String keys) {
        return new StateTopic("mcp.state", 0, seal(keys));
    }

    private static void add(StateReplay replay, ProducerRecord<byte[], byte[]> record) {
        replay.add(record.key(), record.value(), 7);
    }

    @Test
    void encryptsWhatUsersBroughtAndNothingElse() {
        assertThat(new String(topic(OLD).runtime("p", VALUE).value(), UTF_8))
                .doesNotContain("crashes");
        assertThat(new String(topic(OLD).host(new Host("w", "i")).value(), UTF_8)).contains("w");
    }

    @Test
    void readsOldKeysAndNoneAndSaysWhatIsOutdated() {
        var replay = new StateReplay(seal(NEW + "," + OLD));
        add(replay, topic(NEW).runtime("new", VALUE));
        add(replay, topic(OLD).runtime("old", VALUE));
        add(replay, new StateTopic("mcp.state", 0, new StateSeal(null)).runtime("plain", VALUE));
        add(replay, topic(OLD).runtime("renewed", VALUE));
        add(replay, topic(NEW).runtime("renewed", VALUE));
        add(replay, topic(OLD).runtime("gone", VALUE));
        add(replay, topic(NEW).noRuntime("gone"));

        for (var process : new String[] {"new", "old", "plain", "renewed"}) {
            assertThat(replay.state().runtime(process)).isEqualTo(VALUE);
        }
        assertThat(replay.state().outdated()).containsExactly("runtime/old", "runtime/plain");
    }

    @Test
    void takesNothingForAbsentThatItCannotRead() {
        var replay = new StateReplay(seal(NEW));
        add(replay, topic(NEW).runtime("new", VALUE));
        add(replay, topic(OLD).runtime("old", VALUE));

        assertThatThrownBy(replay::state)
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageContaining("1 records")
                .hasMessageContaining("runtime/old")
                .hasMessageContaining("key old");
    }

    @Test
    void doesNotNeedAKeyForWhatALaterRecordReplaced() {
        var replay = new StateReplay(seal(NEW));
        add(replay, topic(OLD).runtime("renewed", VALUE));
        add(replay, topic(NEW).runtime("renewed", VALUE));
        add(replay, topic(OLD).runtime("gone", VALUE));
        add(replay, topic(NEW).noRuntime("gone"));

        assertThat(replay.state().runtime("renewed")).isEqualTo(VALUE);
    }
}
