package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.partition.StateRecord.Installed;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordOrigin;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InstanceIndexTest {
    private final InstanceIndex index = new InstanceIndex();

    @Test
    void findsThoseOfAUserAndOfATeamInTheirOrder() {
        var second = instance("t1", "u1", "b", "node");
        var first = instance("t1", "u1", "a", "node");
        var others = instance("t1", "u2", "a", "node");
        index.put(second);
        index.put(first);
        index.put(others);

        assertThat(index.ofUser("t1", "u1")).containsExactly(second, first);
        assertThat(index.ofTeam("t1")).containsExactly(second, first, others);
        assertThat(index.ofUser("t2", "u1")).isEmpty();
        assertThat(index.ofTeam("t2")).isEmpty();
    }

    @Test
    void countsThoseOfEachTeam() {
        index.put(instance("t1", "u1", "a", "node"));
        index.put(instance("t1", "u1", "a", "java"));
        index.put(instance("t1", "u2", "b", "node"));
        var gone = instance("t2", "u1", "c", "node");
        index.put(gone);
        index.remove(gone.processId());
        index.remove(gone.processId());

        assertThat(index.byTeam()).isEqualTo(Map.of("t1", 2));
    }

    @Test
    void hasOneOfEachProcess() {
        index.put(instance("t1", "u1", "a", "node"));
        var newer = instance("t1", "u1", "a", "java");
        index.put(newer);

        assertThat(index.all()).containsExactly(newer);
        assertThat(index.ofUser("t1", "u1")).containsExactly(newer);
        assertThat(index.get(newer.processId())).isEqualTo(newer);
    }

    @Test
    void followsAProcessToAnotherUser() {
        var after = instance("t2", "u2", "u1", "a", "node");
        index.put(instance("t1", "u1", "u1", "a", "node"));
        index.put(after);

        assertThat(index.all()).containsExactly(after);
        assertThat(index.ofUser("t1", "u1")).isEmpty();
        assertThat(index.ofUser("t2", "u2")).containsExactly(after);
    }

    @Test
    void forgets() {
        var gone = instance("t1", "u1", "a", "node");
        index.put(gone);
        index.remove(gone.processId());
        index.remove(gone.processId());

        assertThat(index.all()).isEmpty();
        assertThat(index.ofUser("t1", "u1")).isEmpty();
        assertThat(index.get(gone.processId())).isNull();
    }

    private static DesiredInstance instance(
            String team, String user, String installation, String command) {
        return instance(team, user, user, installation, command);
    }

    @Test
    @DisplayName("OPS-15: a start token of another topic is none beyond the record's own offset")
    void tokenOfAnotherTopic() {
        var restored =
                new DesiredInstance(instance("t1", "u1", "a", "node").record(), 5_000)
                        .withIntent(true);
        assertThat(DesiredInstance.of(restored, 20).startToken()).isEqualTo(20);
        assertThat(DesiredInstance.of(restored, 6_000).startToken()).isEqualTo(5_000);
    }

    /** The slugs are what a process is named after. */
    private static DesiredInstance instance(
            String team, String user, String slug, String installation, String command) {
        var config =
                """
                {"installation_id":"%s","server_slug":"s","team_id":"%s","team_slug":"t",
                 "user_id":"%s","user_slug":"%s","transport_type":"stdio","command":"%s"}"""
                        .formatted(installation, team, user, slug, command);
        var origin = new RecordOrigin("mcp.commands", 0, 3);
        return new DesiredInstance(
                new Installed(
                        Json.read(config.getBytes(StandardCharsets.UTF_8), ServerConfig.class),
                        false,
                        origin,
                        "c-1",
                        null,
                        null),
                1);
    }
}
