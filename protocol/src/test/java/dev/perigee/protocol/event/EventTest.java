package dev.perigee.protocol.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventTest {
    private static final EventOrigin ORIGIN =
            new EventOrigin(
                    "everything-acme-alice-abc",
                    42L,
                    "abc",
                    "name",
                    "everything",
                    "t1",
                    "u1",
                    "worker-1",
                    7,
                    Instant.parse("2026-11-20T10:00:00Z"));

    @Test
    void anEventIsOneFlatObject() {
        var event =
                Event.of(
                        ORIGIN,
                        new EventBody.StatusChanged(
                                ServerStatus.ONLINE, null, ServerStatus.SYNCING_TOOLS, null));

        var text = new String(Json.write(event), StandardCharsets.UTF_8);

        assertThat(text)
                .startsWith("{\"event\":\"mcp.server.status_changed\",\"process_id\":")
                .contains("\"seq\":7", "\"timestamp\":\"2026-11-20T10:00:00.000Z\"")
                .contains("\"status\":\"online\",\"previous_status\":\"syncing_tools\"")
                .doesNotContain("\"body\"", "\"origin\"", "\"type\"");
        assertThat(Event.read(Json.write(event))).isEqualTo(event);
    }

    @Test
    void aStatusNamesTheVersionWhereItIsKnown() {
        var known = new EventBody.StatusChanged(ServerStatus.ERROR, "no key", null, null);

        var without = Json.write(Event.of(ORIGIN, known));
        var with = Json.write(Event.of(ORIGIN, known.ofVersion("2.0.1")));

        assertThat(Json.tree(without).has("server_version")).isFalse();
        assertThat(Event.read(without).body()).isEqualTo(known);
        assertThat(Json.tree(with).get("server_version").asString()).isEqualTo("2.0.1");
        assertThat(Event.read(with).body()).isEqualTo(known.ofVersion("2.0.1"));
    }

    @Test
    void aCrashNamesCodeAndSignalAlwaysOneOfThemNull() {
        var event =
                Event.of(ORIGIN, new EventBody.Crashed(null, "SIGKILL", 1.5, 1, true, 1000L, null));

        var tree = Json.tree(Json.write(event));

        assertThat(tree.has("exit_code")).isTrue();
        assertThat(tree.get("exit_code").isNull()).isTrue();
        assertThat(tree.get("signal").asString()).isEqualTo("SIGKILL");
        assertThat(tree.has("limit")).isFalse();
    }

    @Test
    void aCrashNamesTheLimitThatEndedIt() {
        var crashed = new EventBody.Crashed(null, "SIGKILL", 1.5, 1, true, 1000L, "oom");

        var json = Json.write(Event.of(ORIGIN, crashed));

        assertThat(Json.tree(json).get("limit").asString()).isEqualTo("oom");
        assertThat(Event.read(json).body()).isEqualTo(crashed);
    }
}
