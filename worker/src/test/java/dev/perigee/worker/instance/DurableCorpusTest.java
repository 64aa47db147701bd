package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.corpus.Corpus;
import dev.perigee.corpus.FullSample;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.RememberedStatus;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-08: what workers of versions before had remembered is read by this one")
final class DurableCorpusTest {
    private final FullSample samples =
            new FullSample().with(RawJson.class, RawJson.of("{\"any\":[1,\"text\",null]}"));

    @Test
    void readsWhatEveryVersionWrote() {
        assertThat(corpus().unread()).isEmpty();
    }

    @Test
    void hasAnEntryForWhatIsWrittenNow() {
        assertThat(corpus().changes()).isEmpty();
    }

    private Corpus corpus() {
        var corpus = new Corpus("durable");
        corpus.add(
                "DurableState",
                samples.of(DurableState.class).write().bytes(),
                old -> DurableState.read(RawJson.ofBytes(old)).write().bytes());
        corpus.add(
                "RememberedStatus",
                Json.write(samples.of(RememberedStatus.class)),
                old ->
                        Json.write(
                                Objects.requireNonNull(
                                        RememberedStatus.read(RawJson.ofBytes(old)))));
        corpus.add(
                "Listed",
                Json.write(samples.of(Asleep.Listed.class)),
                old -> Json.write(Json.read(old, Asleep.Listed.class)));
        return corpus;
    }
}
