package dev.perigee.protocol.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
    /** As the first release writes it. */
    private static final String OLD =
            """
            {"event":"perigee.worker.heartbeat","worker_id":"w-1","incarnation":"one","status":"running",
             "version":"0.1.0","uptime_seconds":1,"cpu_load":0.5,"memory_used_bytes":1,"memory_max_bytes":2,
             "processes_by_team":{},"counts_by_state":{},"dormant_count":0,"partitions":[],
             "isolation":"none","admin_url":"http://127.0.0.1:1","timestamp":"2026-11-20T10:00:00.000Z"}""";

    @Test
    @DisplayName("a heartbeat of a worker that does not tell of its servers is read")
    void readsOldOnes() {
        var heartbeat = Json.read(OLD.getBytes(StandardCharsets.UTF_8), Heartbeat.class);

        assertThat(heartbeat.cpuLoad()).isEqualTo(0.5);
        assertThat(heartbeat.memoryMaxBytes()).isEqualTo(2);
        assertThat(heartbeat.serversMemoryBytes()).isNull();
        assertThat(heartbeat.serversCpuLoad()).isNull();
        assertThat(heartbeat.serversProcessCount()).isNull();
        assertThat(heartbeat.hostCpuLoad()).isNull();
        assertThat(heartbeat.hostMemoryMaxBytes()).isNull();
        assertThat(new String(Json.write(heartbeat), StandardCharsets.UTF_8))
                .doesNotContain("servers_", "host_");
    }
}
