package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.REQUIRES_REAUTH;
import static dev.perigee.protocol.event.ServerStatus.RESTARTING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-10: A server that is quarantined")
final class QuarantinedServerTest {
    private static final Quarantine WAITS = new Quarantine("Quarantined: it waits", false);
    private static final Quarantine HELD = new Quarantine("Quarantined: it is held", true);

    private final InstanceBench bench = new InstanceBench(Map.of());
    private final ServerConfig server = InstanceBench.server("a");

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName(
            "has no process, says why in its status and to calls, and starts when it is told to")
    void waits() {
        var outcome = bench.quarantine(server, null, WAITS);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.journal(server).statuses()).containsExactly(ERROR);
        assertThat(message()).isEqualTo("Quarantined: it waits");
        assertThat(bench.snapshot(server).pid()).isNull();
        var error = refusal();
        assertThat(error.code()).isEqualTo(ErrorCode.QUARANTINED);
        assertThat(error.retryable()).isTrue();
        assertThat(error.serverStatus()).isEqualTo(ERROR);
        assertThat(error.message()).contains("slug-a", "Quarantined: it waits");

        bench.quarantine(server, null, WAITS);
        assertThat(bench.journal(server).statuses()).as("told once").hasSize(1);
        bench.quarantine(server, null, HELD);
        assertThat(message()).isEqualTo("Quarantined: it is held");
        assertThat(refusal().retryable()).isFalse();

        bench.apply(server, Cause.RESTORED);
        assertThat(bench.journal(server).statuses())
                .containsExactly(ERROR, ERROR, RESTARTING, CONNECTING, DISCOVERING_TOOLS, ONLINE);
        assertThat(bench.pid(server)).isPositive();
    }

    @Test
    @DisplayName("starts by a restart, is stopped by a kill, and is no other server's matter")
    void commands() {
        bench.quarantine(server, null, HELD);
        bench.settle(bench.instances.restart(bench.order(server.processId())));
        assertThat(bench.pid(server)).isPositive();

        bench.quarantine(server, null, HELD);
        assertThat(bench.snapshot(server).pid()).as("the process that ran is ended").isNull();
        bench.settle(bench.instances.stop(bench.order(server.processId())));
        assertThat(refusal().code()).isEqualTo(ErrorCode.STOPPED);
    }

    @Test
    @DisplayName("keeps a status that needs its user: it would not start anyway")
    void needsItsUser() {
        bench.quarantine(
                server, RawJson.of("{\"status\":\"requires_reauth\",\"synced\":true}"), WAITS);
        assertThat(bench.snapshot(server).status()).isEqualTo(REQUIRES_REAUTH);
        assertThat(refusal().code()).isEqualTo(ErrorCode.REQUIRES_REAUTH);
    }

    private String message() {
        return String.valueOf(
                bench.journal(server).all(EventBody.StatusChanged.class).getLast().statusMessage());
    }

    private ToolError refusal() {
        return Objects.requireNonNull(bench.call(server, "pid", Map.of()).error());
    }
}
