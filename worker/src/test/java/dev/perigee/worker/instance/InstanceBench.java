package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Apply;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.protocol.link.InstanceOrder.Simple;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.egress.LocalEgress;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.ProcessTable;
import dev.perigee.worker.process.Termination;
import dev.perigee.worker.process.isolation.Isolation;
import dev.perigee.worker.process.isolation.NoIsolation;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One partition with real processes, and journals in memory. */
final class InstanceBench implements AutoCloseable {
    static final String USER = "u1";
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of requests: what a loaded machine takes for the start of a process is in it. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    final Map<String, RecordingJournal> journals = new ConcurrentHashMap<>();
    final PartitionInstances instances;
    private final ProcessLauncher launcher;
    private final LocalInstanceHost host;
    private final InstantSource clock;
    private final AtomicLong offsets = new AtomicLong();

    InstanceBench() {
        this(Map.of());
    }

    /** With settings other than the quick ones. */
    InstanceBench(Map<String, String> settings) {
        this(settings, InstantSource.system());
    }

    InstanceBench(Map<String, String> settings, InstantSource clock) {
        this(settings, clock, ProcessLaunchers.create(LauncherOptions.defaults()));
    }

    InstanceBench(Map<String, String> settings, InstantSource clock, ProcessLauncher launcher) {
        this(
                settings,
                clock,
                launcher,
                new Termination(),
                new NoIsolation(System.getenv(), Path.of("target", "caches")));
    }

    InstanceBench(
            Map<String, String> settings,
            InstantSource clock,
            ProcessLauncher launcher,
            Termination termination,
            Isolation isolation) {
        this(settings, clock, launcher, termination, isolation, null);
    }

    private InstanceBench(
            Map<String, String> settings,
            InstantSource clock,
            ProcessLauncher launcher,
            Termination termination,
            Isolation isolation,
            @Nullable ProcessTable metered) {
        this.launcher = launcher;
        this.clock = clock;
        var all =
                new HashMap<>(
                        Map.of(
                                "restart.delays", "20ms,40ms,60ms",
                                "logs.batch-interval", "100ms",
                                "process.termination-grace", "2s",
                                "mcp.handshake-timeout", "30s",
                                "tool.transition-wait", "30s",
                                "egress.allow", LocalEgress.ALLOW));
        all.putAll(settings);
        host =
                new LocalInstanceHost(
                        InstanceSettings.read(InstanceSettings.SCHEMA.read(all)),
                        launcher,
                        termination,
                        isolation,
                        metered,
                        clock);
        instances =
                host.open(
                        1,
                        identity ->
                                journals.compute(
                                        identity.processId(), (_, _) -> new RecordingJournal()));
    }

    /** With usage published. */
    static InstanceBench metered() {
        return new InstanceBench(
                Map.of(),
                InstantSource.system(),
                ProcessLaunchers.create(LauncherOptions.defaults()),
                new Termination(),
                new NoIsolation(System.getenv(), Path.of("target", "caches")),
                new ProcessTable());
    }

    /** The test server with flags, as installation {@code id} of user u1. */
    static ServerConfig server(String id, String... flags) {
        return server(id, Map.of(), flags);
    }

    static ServerConfig server(String id, Map<String, String> env, String... flags) {
        var args = new ArrayList<String>();
        args.add(resource("/server.mjs"));
        args.addAll(List.of(flags));
        return program(id, TransportType.STDIO, "node", args, env, null);
    }

    static ServerConfig program(
            String id,
            TransportType transport,
            String command,
            List<String> args,
            Map<String, String> env,
            @Nullable Long handshakeMs) {
        return new ServerConfigBuilder(
                        id,
                        "slug-" + id,
                        new Owner("t1", "acme", USER, "alice"),
                        transport,
                        command,
                        args)
                .installationName("name-" + id)
                .env(env)
                .handshakeTimeoutMs(handshakeMs)
                .build();
    }

    /** A server that is little more than nothing: a shell with one tool, pid. */
    static ServerConfig small(String id) {
        return program(
                id, TransportType.STDIO, "sh", List.of(resource("/small.sh")), Map.of(), null);
    }

    private static String resource(String name) {
        var found = Objects.requireNonNull(InstanceBench.class.getResource(name));
        try {
            return Path.of(found.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    Outcome configure(ServerConfig config) {
        return settle(submit(config, Cause.CREATED));
    }

    Outcome apply(ServerConfig config, Cause cause) {
        return settle(submit(config, cause));
    }

    PendingOutcome submit(ServerConfig config, Cause cause) {
        return submit(config, cause, false, null);
    }

    PendingOutcome submit(
            ServerConfig config, Cause cause, boolean stopped, @Nullable RawJson durable) {
        return submit(config, cause, stopped, durable, null);
    }

    /** Has it known but not run, since workers died under it. */
    Outcome quarantine(ServerConfig config, @Nullable RawJson durable, Quarantine why) {
        return settle(submit(config, Cause.RESTORED, true, durable, why));
    }

    @SuppressWarnings("NullAway") // It does not see that Quarantine, a nested type, may be null.
    private PendingOutcome submit(
            ServerConfig config,
            Cause cause,
            boolean stopped,
            @Nullable RawJson durable,
            @Nullable Quarantine quarantine) {
        long offset = offsets.incrementAndGet();
        return instances.apply(
                new Apply(
                        1,
                        new RecordOrigin("mcp.commands", 1, offset),
                        "cmd-" + offset,
                        offset,
                        cause,
                        config,
                        stopped,
                        durable,
                        quarantine));
    }

    /** An order about an instance's present configuration. */
    Simple order(String processId) {
        long offset = offsets.incrementAndGet();
        return new Simple(
                1,
                new RecordOrigin("mcp.commands", 1, offset),
                "cmd-" + offset,
                processId,
                offset,
                null);
    }

    Outcome settle(PendingOutcome pending) {
        var outcome = new CompletableFuture<Outcome>();
        pending.whenEnded(outcome::complete);
        return outcome.orTimeout(5, TimeUnit.MINUTES).join();
    }

    RecordingJournal journal(ServerConfig config) {
        return Objects.requireNonNull(journals.get(config.processId()));
    }

    InstanceSnapshot snapshot(ServerConfig config) {
        return Objects.requireNonNull(instances.describe(config.processId()));
    }

    /** Sends a request; its id is the answer. */
    ToolOrder.Execute request(
            ServerConfig config, String method, @Nullable String path, @Nullable Object arguments) {
        return request(config, method, path, arguments, TIMEOUT);
    }

    @SuppressWarnings("NullAway") // It does not see that ReplyTo, a nested type, may be null.
    ToolOrder.Execute request(
            ServerConfig config,
            String method,
            @Nullable String path,
            @Nullable Object arguments,
            Duration timeout) {
        long offset = offsets.incrementAndGet();
        return new ToolOrder.Execute(
                1,
                new RecordOrigin("mcp.tool-requests", 1, offset),
                null,
                new ToolRequest(
                        "r-" + offset,
                        config.teamId(),
                        config.userId(),
                        method,
                        path,
                        null,
                        arguments == null ? null : Json.raw(arguments),
                        timeout.toMillis(),
                        null,
                        null),
                clock.instant().plus(timeout),
                null,
                null,
                null);
    }

    ToolResult call(ServerConfig config, String tool, Object arguments) {
        return call(config, tool, arguments, TIMEOUT);
    }

    ToolResult call(ServerConfig config, String tool, Object arguments, Duration timeout) {
        return perform(
                request(
                        config,
                        "tools/call",
                        config.serverSlug() + ":" + tool,
                        arguments,
                        timeout));
    }

    /** Has a request accepted, and waits until the server of that process has it. */
    void send(ServerConfig config, ToolOrder.Execute order) {
        long before = snapshot(config).messageCount();
        assertThat(instances.execute(order).answered()).isNull();
        await().until(() -> snapshot(config).messageCount() > before);
    }

    ToolResult perform(ToolOrder.Execute order) {
        var answered = instances.execute(order).answered();
        return answered != null ? answered : result(order);
    }

    /** Waits for the result of an accepted request. */
    ToolResult result(ToolOrder.Execute order) {
        return result(order, PATIENCE);
    }

    ToolResult result(ToolOrder.Execute order, Duration patience) {
        var id = order.request().requestId();
        await().atMost(patience).pollInterval(Duration.ofMillis(5)).until(() -> find(id) != null);
        return Objects.requireNonNull(find(id));
    }

    private @Nullable ToolResult find(String requestId) {
        for (var journal : journals.values()) {
            var result = journal.result(requestId);
            if (result != null) {
                return result;
            }
        }
        return null;
    }

    /** The text of a call's result. */
    String text(ServerConfig config, String tool, Object arguments) {
        var result = call(config, tool, arguments);
        if (result.result() == null) {
            throw new AssertionError("no result but " + result.error());
        }
        return Json.tree(result.result().bytes()).at("/content/0/text").asString();
    }

    long pid(ServerConfig config) {
        return Long.parseLong(text(config, "pid", Map.of()));
    }

    /**
     * An order with another request.
     *
     * @param inputMs how long its questions may wait, null where it may ask none
     * @param from what it goes on from, null where it begins
     */
    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    static ToolOrder.Execute order(
            ToolOrder.Execute plain,
            ToolRequest request,
            @Nullable Long inputMs,
            @Nullable HeldQuestion from) {
        return new ToolOrder.Execute(
                plain.partition(),
                plain.origin(),
                plain.processId(),
                request,
                plain.deadline(),
                null,
                null,
                from == null ? null : true,
                null,
                inputMs,
                null,
                from == null ? null : Json.raw(from));
    }

    static boolean alive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    @Override
    public void close() {
        instances.terminateAll(Duration.ofSeconds(10));
        host.close();
        launcher.close();
    }

    /** Hides or restores a tool. */
    static InstanceOrder.SwitchTool switchTool(Simple order, String tool, boolean disabled) {
        return new InstanceOrder.SwitchTool(order, tool, disabled);
    }
}
