package dev.perigee.gateway.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.corpus.Corpus;
import dev.perigee.corpus.FullSample;
import dev.perigee.gateway.inbound.BroadcastReport;
import dev.perigee.gateway.inbound.Reach;
import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.quarantine.UserSuspicion;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-08: state of versions before is read by this one")
final class StateCorpusTest {
    private final FullSample samples =
            new FullSample()
                    .with(RawJson.class, RawJson.of("{\"any\":[1,\"text\",null]}"))
                    .with("egress", "10.0.0.0/8");
    private final StateTopic topic = new StateTopic("state", 0, new StateSeal(null));

    @Test
    void readsWhatEveryVersionWrote() {
        assertThat(corpus().unread()).isEmpty();
    }

    @Test
    void hasAnEntryForWhatIsWrittenNow() {
        assertThat(corpus().changes()).isEmpty();
    }

    @Test
    @DisplayName("replays every kind of key")
    void replaysEveryKey() {
        var state = new PartitionState();
        var installed = samples.of(StateRecord.Installed.class);
        var broadcast = samples.of(StateRecord.Broadcast.class);
        var suspicion = samples.of(Suspicion.class);
        replay(state, topic.host(samples.of(StateRecord.Host.class)));
        replay(state, topic.instance(installed));
        replay(state, topic.broadcast(broadcast));
        replay(state, topic.suspicion("p", suspicion));
        replay(state, topic.command("c", samples.of(StateRecord.Remembered.class)));

        assertThat(state.host()).isEqualTo(samples.of(StateRecord.Host.class));
        assertThat(Objects.requireNonNull(state.instance(installed.config().processId())).config())
                .isEqualTo(installed.config());
        assertThat(state.broadcast(broadcast.command().id())).isEqualTo(broadcast);
        assertThat(state.suspicion("p")).isEqualTo(suspicion);
        assertThat(state.command("c")).isEqualTo(samples.of(StateRecord.Remembered.class));
    }

    private static void replay(PartitionState state, ProducerRecord<byte[], byte[]> record) {
        state.replay(new String(record.key(), UTF_8), record.value(), 1);
    }

    private Corpus corpus() {
        var corpus = new Corpus("state");
        var covered =
                Set.<Class<?>>of(
                        StateRecord.Claim.class,
                        StateRecord.Fleet.class,
                        StateRecord.Host.class,
                        StateRecord.Installed.class,
                        StateRecord.Remembered.class,
                        StateRecord.Broadcast.class);
        assertThat(Set.of(StateRecord.class.getPermittedSubclasses()))
                .isEqualTo(covered.stream().collect(Collectors.toSet()));
        covered.forEach(type -> add(corpus, type));
        add(corpus, Suspicion.class);
        add(corpus, UserSuspicion.class);
        add(corpus, BroadcastReport.class);
        add(corpus, Reach.class);
        key(corpus, topic.claim(samples.of(StateRecord.Claim.class)));
        key(corpus, topic.host(samples.of(StateRecord.Host.class)));
        key(corpus, topic.noInstance("process"));
        key(corpus, topic.noRuntime("process"));
        key(corpus, topic.noCommand("command"));
        key(corpus, topic.noBroadcast("command"));
        key(corpus, topic.suspicion("process", Suspicion.NONE));
        key(corpus, topic.suspectUser("team/user", UserSuspicion.NONE));
        return corpus;
    }

    private <T> void add(Corpus corpus, Class<T> type) {
        corpus.add(
                type.getSimpleName(),
                Json.write(samples.of(type)),
                old -> Json.write(Json.read(old, type)));
    }

    /** A key is written as a text; it may not change at all. */
    private static void key(Corpus corpus, ProducerRecord<byte[], byte[]> record) {
        var now = Json.write(new String(record.key(), UTF_8));
        corpus.add("key " + new String(record.key(), UTF_8).split("/", 2)[0], now, _ -> now);
    }
}
