package dev.perigee.worker.instance;

import static dev.perigee.protocol.event.ServerStatus.COMMAND_RECEIVED;
import static dev.perigee.protocol.event.ServerStatus.CONNECTING;
import static dev.perigee.protocol.event.ServerStatus.DISCOVERING_TOOLS;
import static dev.perigee.protocol.event.ServerStatus.ERROR;
import static dev.perigee.protocol.event.ServerStatus.ONLINE;
import static dev.perigee.protocol.event.ServerStatus.RESTARTING;
import static dev.perigee.protocol.event.ServerStatus.SYNCING_TOOLS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.tool.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations that come, change and go, with real processes. */
final class InstallationTest {
    private final InstanceBench bench =
            new InstanceBench(
                    Map.of("process.parallel-starts", "2", "process.start-slot-hold", "300ms"));

    @AfterEach
    void end() {
        bench.close();
    }

    @Test
    @DisplayName("STA-02, PRO-05, PRO-91: a first installation goes its way to online")
    void installs() {
        var config = InstanceBench.server("a", Map.of("TEST_VALUE", "some value"), "--one", "a; b");

        var outcome = bench.configure(config);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(outcome.details()).isNotNull();
        assertThat(outcome.details().resultingStatus()).isEqualTo(ONLINE);
        var journal = bench.journal(config);
        assertThat(journal.statuses())
                .containsExactly(
                        COMMAND_RECEIVED, CONNECTING, DISCOVERING_TOOLS, SYNCING_TOOLS, ONLINE);
        assertThat(journal.events)
                .extracting(EventBody::type)
                .extracting(Enum::name)
                .containsExactly(
                        "STATUS_CHANGED",
                        "STATUS_CHANGED",
                        "STATUS_CHANGED",
                        "STATUS_CHANGED",
                        "TOOLS_DISCOVERED",
                        "STARTED",
                        "STATUS_CHANGED",
                        "CATALOG");
        assertThat(journal.all(EventBody.ToolsDiscovered.class).getFirst().toolCount())
                .isEqualTo(14);
        assertThat(bench.text(config, "args", Map.of())).isEqualTo("[\"--one\",\"a; b\"]");
        assertThat(bench.text(config, "env", Map.of("name", "TEST_VALUE"))).isEqualTo("some value");
        assertThat(bench.snapshot(config).pid()).isEqualTo(bench.pid(config));
        assertThat(bench.snapshot(config).state()).isEqualTo(InstanceState.RUNNING);
    }

    @Test
    @DisplayName("PRO-26, PRO-27, PRO-31, PRO-32, PRO-34: what the server reads")
    void speaksMcp() {
        var config = InstanceBench.server("a", "--ask", "--garbage");
        bench.configure(config);
        await().until(() -> bench.text(config, "record", Map.of()).contains("-32601"));

        var lines = bench.text(config, "record", Map.of());

        assertThat(lines)
                .contains("\\\"protocolVersion\\\":\\\"2025-11-25\\\"")
                .contains("\\\"roots\\\":{\\\"listChanged\\\":false}")
                .contains("\\\"clientInfo\\\":{\\\"name\\\":\\\"perigee\\\"")
                .contains(
                        "{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":0,\\\"result\\\":{\\\"roots\\\":[]}}")
                .contains("\\\"id\\\":\\\"p\\\",\\\"result\\\":{}")
                .contains("\\\"id\\\":2,\\\"error\\\":{\\\"code\\\":-32601");
        assertThat(lines.indexOf("notifications/initialized"))
                .isBetween(lines.indexOf("\\\"initialize\\\""), lines.indexOf("tools/list"));
    }

    @Test
    @DisplayName("PRO-28, PRO-29, PRO-112: a server that does not start is an error that says why")
    void saysWhyItDidNotStart() {
        var missing =
                InstanceBench.program(
                        "m", TransportType.STDIO, "no-such-program", List.of(), Map.of(), null);
        var mute =
                InstanceBench.program(
                        "q",
                        TransportType.STDIO,
                        "node",
                        InstanceBench.server("q", "--mute").args(),
                        Map.of(),
                        700L);
        var dying =
                InstanceBench.server(
                        "d", Map.of("KEY", "very-secret"), "--die", "cannot use very-secret");
        var nameless = InstanceBench.server("n", "--no-serverinfo");
        var well = InstanceBench.server("w");

        var pending = new ArrayList<PendingOutcome>();
        for (var config : List.of(missing, mute, dying, nameless, well)) {
            pending.add(bench.submit(config, Cause.CREATED));
        }

        failed(bench.settle(pending.get(0)), missing, "'no-such-program' was not found");
        failed(bench.settle(pending.get(1)), mute, "did not answer initialize within 700 ms");
        failed(
                bench.settle(pending.get(2)),
                dying,
                "process exited with code 1 during handshake; last stderr: cannot use ***");
        failed(bench.settle(pending.get(3)), nameless, "lacks serverInfo");
        assertThat(bench.settle(pending.get(4)).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.pid(well)).isPositive();
        for (var config : List.of(mute, dying, nameless)) {
            bench.journal(config).pids.stream()
                    .filter(pid -> pid > 0)
                    .forEach(pid -> assertThat(InstanceBench.alive(pid)).isFalse());
        }
    }

    @Test
    @DisplayName("OPS-06: a server without one of its modules says which")
    void saysWhichModuleIsMissing(@TempDir Path directory) throws IOException {
        var script = directory.resolve("server.mjs");
        Files.writeString(script, "import './nothere-very-secret.mjs';\n");
        var config =
                InstanceBench.program(
                        "a",
                        TransportType.STDIO,
                        "node",
                        List.of(script.toString()),
                        Map.of("KEY", "very-secret"),
                        null);

        var outcome = bench.configure(config);

        failed(
                outcome,
                config,
                "process exited with code 1 during handshake: Error [ERR_MODULE_NOT_FOUND]: Cannot"
                        + " find module '%s/nothere-***.mjs' imported from %s"
                                .formatted(directory, script));
        assertThat(bench.snapshot(config).statusMessage())
                .endsWith("server.mjs")
                .doesNotContain("Node.js v");
    }

    private void failed(Outcome outcome, ServerConfig config, String why) {
        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.FAILED);
        assertThat(outcome.error()).isNotNull();
        assertThat(outcome.error().code()).isEqualTo("spawn_failed");
        assertThat(outcome.error().message()).contains(why);
        assertThat(bench.journal(config).statuses())
                .containsExactly(COMMAND_RECEIVED, CONNECTING, ERROR);
        assertThat(bench.snapshot(config).statusMessage()).contains(why);
        assertThat(bench.snapshot(config).state()).isEqualTo(InstanceState.FAILED);
    }

    @Test
    @DisplayName("PRO-70, PRO-71, STA-03: only a configuration that differs restarts a server")
    void updates() {
        var config = InstanceBench.server("a", "--first");
        bench.configure(config);
        long pid = bench.pid(config);
        var journal = bench.journal(config);
        int before = journal.events.size();

        var unchanged = bench.apply(config, Cause.UPDATED);

        assertThat(unchanged.details()).isNotNull();
        assertThat(unchanged.details().note()).isEqualTo("unchanged");
        assertThat(bench.pid(config)).isEqualTo(pid);
        assertThat(journal.statuses()).hasSize(5);

        var changed = InstanceBench.server("a", "--second");
        assertThat(bench.apply(changed, Cause.UPDATED).outcome())
                .isEqualTo(CommandOutcome.COMPLETED);

        assertThat(journal.statuses().subList(5, journal.statuses().size()))
                .containsExactly(RESTARTING, CONNECTING, DISCOVERING_TOOLS, ONLINE);
        assertThat(journal.events).hasSizeGreaterThan(before);
        assertThat(bench.text(changed, "args", Map.of())).isEqualTo("[\"--second\"]");
        assertThat(InstanceBench.alive(pid)).isFalse();
        assertThat(journal.all(EventBody.Crashed.class)).isEmpty();
    }

    @Test
    @DisplayName("PRO-75: of rapid updates the last one wins, the others say so")
    void lastConfigurationWins() {
        var pending = new ArrayList<PendingOutcome>();
        for (int i = 0; i < 10; i++) {
            pending.add(
                    bench.submit(
                            InstanceBench.server(
                                    "a", "--slow-init", i < 9 ? "60000" : "1", "--n", "" + i),
                            i == 0 ? Cause.CREATED : Cause.UPDATED));
        }

        var last = bench.settle(pending.getLast());

        assertThat(last.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.text(InstanceBench.server("a"), "args", Map.of()))
                .isEqualTo("[\"--slow-init\",\"1\",\"--n\",\"9\"]");
        for (var overtaken : pending.subList(0, 9)) {
            var details = bench.settle(overtaken).details();
            assertThat(details).isNotNull();
            assertThat(details.supersededBy()).startsWith("cmd-");
        }
    }

    @Test
    @DisplayName("PRO-64, PRO-65, STA-45: a removal is complete, and the id may come back")
    void removes() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);
        var first = bench.journal(config);

        var removal = bench.instances.remove(bench.order(config.processId()));
        var again = bench.submit(config, Cause.CREATED);

        var details = bench.settle(removal).details();
        assertThat(details).isNotNull();
        assertThat(details.active()).isTrue();
        assertThat(details.dormant()).isFalse();
        assertThat(InstanceBench.alive(pid)).isFalse();
        assertThat(first.removed).isTrue();
        assertThat(bench.settle(again).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.journal(config)).isNotSameAs(first);
        assertThat(bench.journal(config).statuses()).startsWith(COMMAND_RECEIVED).endsWith(ONLINE);
        bench.settle(bench.instances.remove(bench.order(config.processId())));
        await().until(() -> bench.instances.describe().isEmpty());
    }

    @Test
    @DisplayName("PRO-113: a mute server holds up nobody")
    void slowStarterDelaysNobody() {
        var pending = new ArrayList<PendingOutcome>();
        for (int i = 0; i < 3; i++) {
            pending.add(bench.submit(InstanceBench.server("mute" + i, "--mute"), Cause.CREATED));
        }
        var well = bench.configure(InstanceBench.server("well"));

        assertThat(well.outcome()).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(pending)
                .allSatisfy(
                        mute ->
                                assertThat(bench.instances.describe("slug-mute0-acme-alice-mute0"))
                                        .extracting(InstanceSnapshot::state)
                                        .isEqualTo(InstanceState.STARTING));
    }

    @Test
    @DisplayName("PRO-54, PRO-108: stopped by intent until spawned")
    void stopsAndSpawns() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        long pid = bench.pid(config);

        bench.settle(bench.instances.stop(bench.order(config.processId())));

        assertThat(InstanceBench.alive(pid)).isFalse();
        var journal = bench.journal(config);
        assertThat(journal.all(EventBody.Stopped.class)).hasSize(1);
        assertThat(journal.all(EventBody.Crashed.class)).isEmpty();
        var refused = bench.call(config, "echo", Map.of("message", "x"));
        assertThat(refused.error()).isNotNull();
        assertThat(refused.error().code()).isEqualTo(ErrorCode.STOPPED);

        assertThat(bench.apply(config, Cause.SPAWN).outcome()).isEqualTo(CommandOutcome.COMPLETED);
        long second = bench.pid(config);
        var again = bench.apply(config, Cause.SPAWN);
        assertThat(again.details()).isNotNull();
        assertThat(again.details().note()).isEqualTo("already running");
        assertThat(bench.pid(config)).isEqualTo(second);
    }

    @Test
    void restoresWhatAFormerOwnerKnew() {
        var config = InstanceBench.server("a");
        bench.configure(config);
        bench.settle(
                bench.instances.switchTool(
                        InstanceBench.switchTool(bench.order(config.processId()), "echo", true)));
        var durable = bench.journal(config).durable;

        try (var next = new InstanceBench()) {
            next.settle(next.submit(config, Cause.RESTORED, false, durable));

            assertThat(next.journal(config).statuses())
                    .containsExactly(CONNECTING, DISCOVERING_TOOLS, ONLINE);
            var refused = next.call(config, "echo", Map.of("message", "x"));
            assertThat(refused.error()).isNotNull();
            assertThat(refused.error().code()).isEqualTo(ErrorCode.TOOL_DISABLED);
        }
    }

    @Test
    @DisplayName("an update that comes to another worker leaves off what its user switched off")
    void isUpdatedElsewhere() {
        var config = InstanceBench.small("a");
        var stored = new DurableState(null, null, true, List.of(), Set.of("pid"), null);

        bench.settle(bench.submit(config, Cause.UPDATED, false, stored.write()));

        var refused = bench.call(config, "pid", Map.of());
        assertThat(refused.error()).isNotNull();
        assertThat(refused.error().code()).isEqualTo(ErrorCode.TOOL_DISABLED);
        assertThat(DurableState.read(bench.journal(config).durable).disabledTools())
                .containsExactly("pid");
    }

    @Test
    void refusesWhatItCannotRun() {
        var newline = InstanceBench.server("a", "one\ntwo");

        var outcome = bench.configure(newline);

        assertThat(outcome.outcome()).isEqualTo(CommandOutcome.REJECTED);
        assertThat(bench.instances.describe()).isEmpty();
    }

    @Test
    void runsAProgramWithoutMcp() {
        var config =
                InstanceBench.program(
                        "c",
                        TransportType.COMMAND,
                        "sh",
                        List.of("-c", "echo out; echo err >&2; exec sleep 60"),
                        Map.of(),
                        null);

        assertThat(bench.configure(config).outcome()).isEqualTo(CommandOutcome.COMPLETED);

        await().until(() -> bench.journal(config).lines().size() == 2);
        assertThat(bench.journal(config).lines()).containsExactlyInAnyOrder("out", "err");
    }

    @Test
    @DisplayName("TEN-01: a home outlives restarts, and goes with its removed installation")
    void keepsItsHomeWhileInstalled() throws IOException {
        var home = Path.of("target", "caches", "homes", "t1", InstanceBench.USER, "homely", "node");
        Files.createDirectories(home);
        var config = InstanceBench.server("homely");

        bench.configure(config);
        bench.settle(bench.instances.restart(bench.order(config.processId())));
        bench.settle(bench.instances.stop(bench.order(config.processId())));
        assertThat(home).isDirectory();

        bench.settle(bench.instances.remove(bench.order(config.processId())));
        assertThat(home.getParent()).doesNotExist();
    }
}
