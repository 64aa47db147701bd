package dev.perigee.local.backup;

import static dev.perigee.local.backup.Examples.record;
import static dev.perigee.local.backup.Examples.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.backup.StateRecordNames.Kind;
import dev.perigee.protocol.topic.Topic;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-15: what of a backup is written")
final class RestoreTallyTest {
    private static final String RUNNING =
            "{\"origin\":{\"topic\":\"mcp.commands\",\"partition\":0,\"offset\":1},\"at\":\"2026-11-20T10:00:00Z\"}";

    @Test
    @DisplayName("is all but claims and what had not ended")
    void writes() {
        var tally = new RestoreTally(false);

        assertThat(tally.take(state("instance/p", "\u0001sealed"))).isTrue();
        assertThat(tally.take(state("runtime/p", "{}"))).isTrue();
        assertThat(tally.take(state("suspicion/p", "{}"))).isTrue();
        assertThat(tally.take(state("suspect-user/t/u", "{}"))).isTrue();
        assertThat(tally.take(state("fleet", "{\"partitions\":8}"))).isTrue();
        assertThat(tally.take(state("of-a-later-version/x", "{}"))).isTrue();
        assertThat(tally.take(state("host", "{}"))).isTrue();
        assertThat(tally.take(state("command/c", "{\"outcome\":\"completed\"}"))).isTrue();
        assertThat(tally.take(record(Topic.STATUS, 0, "claim", "{}"))).isTrue();

        assertThat(tally.take(state("claim", "{}"))).isFalse();
        assertThat(tally.take(state("command/r", RUNNING))).isFalse();
        assertThat(tally.take(state("command/n", "{\"outcome\":null}"))).isFalse();
        assertThat(tally.take(state("command/x", "no json"))).isFalse();
        assertThat(tally.take(state("broadcast/c", "\u0001sealed"))).isFalse();

        assertThat(tally.written()).containsEntry(Topic.STATE, 8L).containsEntry(Topic.STATUS, 1L);
        assertThat(tally.of(Kind.INSTANCE)).isEqualTo(1);
        assertThat(tally.of(Kind.HOST)).isEqualTo(1);
        assertThat(tally.of(Kind.RUNNING_COMMAND)).isEqualTo(3);
        assertThat(tally.of(Kind.BROADCAST)).isEqualTo(1);
    }

    @Test
    @DisplayName("is no worker of before where that is asked for")
    void withoutHosts() {
        var tally = new RestoreTally(true);

        assertThat(tally.take(state("host", "{}"))).isFalse();
        assertThat(tally.of(Kind.HOST)).isEqualTo(1);
        assertThat(tally.written()).isEmpty();
    }
}
