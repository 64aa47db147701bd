package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.corpus.Corpus;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-08: committed progress of versions before is read by this one")
final class ProgressCorpusTest {
    private static final long COMMITTED = 5;

    @Test
    void readsWhatEveryVersionWrote() {
        assertThat(corpus().unread()).isEmpty();
    }

    @Test
    void hasAnEntryForWhatIsWrittenNow() {
        assertThat(corpus().changes()).isEmpty();
    }

    private static Corpus corpus() {
        var bits = new BitSet();
        List.of(0, 2, 3, 70, 1_000).forEach(bits::set);
        var progress = new RequestProgress(40, 41, 7, 6, new OffsetSet(COMMITTED, bits));
        var text = ProgressCodec.encode(progress, ProgressCodec.MAX_BITMAP_BYTES);
        var corpus = new Corpus("progress");
        corpus.add(
                "RequestProgress",
                fields(text, progress),
                old -> {
                    var kept = Corpus.tree(old).path("metadata").asString();
                    return fields(kept, ProgressCodec.decode(kept, COMMITTED));
                });
        return corpus;
    }

    private static byte[] fields(String metadata, RequestProgress progress) {
        return Corpus.bytes(
                new TreeMap<>(
                        Map.of(
                                "metadata",
                                metadata,
                                "reserved",
                                progress.reserved(),
                                "session",
                                progress.session(),
                                "lost_below",
                                progress.lostBelow(),
                                "lost_twice_below",
                                progress.lostTwiceBelow(),
                                "completed",
                                progress.completed().bits().stream().boxed().toList())));
    }
}
