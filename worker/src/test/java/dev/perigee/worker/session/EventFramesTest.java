package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.worker.instance.InstanceIdentity;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DEP-08: what a gateway of an earlier version reads of a journal")
final class EventFramesTest {
    private static final EventBody.Catalog CATALOG =
            new EventBody.Catalog(
                    null,
                    RawJson.EMPTY_OBJECT,
                    null,
                    null,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    Instant.EPOCH);

    private final EventFrames frames = new EventFrames("w-1", Clock.systemUTC());
    private final InstanceIdentity about = InstanceIdentity.of(0, 1, Orders.config("i1"));

    @Test
    @DisplayName("an event that it does not know is a line of log with the same number")
    void leavesNoHole() {
        byte[] frame = frames.event(about, 7, CATALOG, 42L, null);

        var read = Json.tree(EventFrames.readable(frame, LinkVersions.FIRST)).path("params");

        assertThat(read.path("seq").asLong()).isEqualTo(7);
        assertThat(read.path("type").asString()).isEqualTo(EventType.LOGS.wireName());
        assertThat(read.path("key").asString()).isEqualTo(about.processId());
        var data = read.path("data");
        assertThat(data.path("event").asString()).isEqualTo(EventType.LOGS.wireName());
        assertThat(data.path("seq").asLong()).isEqualTo(7);
        assertThat(data.path("pid").asLong()).isEqualTo(42);
        assertThat(data.at("/logs/0/message").asString())
                .contains("mcp.server.catalog", "older than its worker");
    }

    @Test
    @DisplayName("a question is none for a gateway of the version before questions")
    void knowsNoQuestions() {
        var question =
                new EventBody.CallInputRequired(
                        "r", null, "i", RawJson.EMPTY_OBJECT, Instant.EPOCH);
        byte[] frame = frames.event(about, 7, question, 42L, null);

        assertThat(EventFrames.readable(frame, LinkVersions.QUESTIONS)).isSameAs(frame);
        var read = Json.tree(EventFrames.readable(frame, LinkVersions.CALLS_THAT_TALK));
        assertThat(read.at("/params/type").asString()).isEqualTo(EventType.LOGS.wireName());
        assertThat(read.at("/params/seq").asLong()).isEqualTo(7);
    }

    @Test
    @DisplayName("a record of usage is none for a gateway of the version before usage")
    void knowsNoUsage() {
        var usage =
                new EventBody.Usage(
                        Instant.EPOCH, Instant.EPOCH.plusSeconds(60), 1, 0, 2, 3, 4, 5, 6, 7);
        byte[] frame = frames.event(about, 7, usage, null, null);

        assertThat(EventFrames.readable(frame, LinkVersions.USAGE)).isSameAs(frame);
        var read = Json.tree(EventFrames.readable(frame, LinkVersions.QUESTIONS));
        assertThat(read.at("/params/type").asString()).isEqualTo(EventType.LOGS.wireName());
        assertThat(read.at("/params/seq").asLong()).isEqualTo(7);
    }

    @Test
    @DisplayName("CAL-09: what servers notify of is keyed by installation, and none for it before")
    void knowsNoNotices() {
        var changed = new EventBody.ListChanged("tools", null);
        byte[] frame = frames.event(about, 7, changed, 42L, RawJson.of("{\"a\":1}"));

        assertThat(EventFrames.readable(frame, LinkVersions.SERVER_EVENTS)).isSameAs(frame);
        assertThat(Json.tree(frame).at("/params/key").asString()).isEqualTo(about.installationId());
        var read = Json.tree(EventFrames.readable(frame, LinkVersions.QUESTIONS)).path("params");
        assertThat(read.path("type").asString()).isEqualTo(EventType.LOGS.wireName());
        assertThat(read.path("key").asString()).isEqualTo(about.processId());
        assertThat(read.at("/durable/a").asInt()).isEqualTo(1);
    }

    @Test
    @DisplayName("all else is as it was, and a gateway of this version reads everything")
    void changesNothingElse() {
        byte[] known = frames.event(about, 8, new EventBody.Exited(3), 42L, null);
        byte[] recent = frames.event(about, 9, CATALOG, 42L, null);

        assertThat(EventFrames.readable(known, LinkVersions.FIRST)).isSameAs(known);
        assertThat(EventFrames.readable(recent, LinkVersions.CALLS_THAT_TALK)).isSameAs(recent);
    }
}
