package dev.perigee.worker.session;

import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.worker.Worker;
import dev.perigee.worker.WorkerSettings;
import dev.perigee.worker.WorkerStartException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A worker with real processes, and a gateway whose connection a test cuts. */
final class WholeWorker implements AutoCloseable {
    private static final String TOKEN = "s3cret";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Longer than any test. */
    private static final Duration CALL = Duration.ofMinutes(10);

    /** More than an event has here. */
    private static final int EVENT_BYTES = 64 << 10;

    /** All that gateways were sent of each process, in the order in which it came. */
    final Map<String, List<InstanceEvent>> heard = new HashMap<>();

    private final Worker worker;
    private final HttpClient http = HttpClient.newHttpClient();
    private long generation = 1;
    RawGateway gateway;

    WholeWorker(Map<String, String> more) throws WorkerStartException, InterruptedException {
        var texts =
                new HashMap<>(
                        Map.of(
                                "worker.id", "cut-test-" + UUID.randomUUID(),
                                "link.listen", "127.0.0.1:0",
                                "link.token", TOKEN,
                                "admin.listen", "127.0.0.1:0",
                                "process.termination-grace", "2s",
                                "worker.drain-timeout", "0s",
                                "worker.mode", "development",
                                "isolation.mode", "none",
                                "logs.batch-interval", "50ms",
                                "logs.lines-per-second", "1000000"));
        texts.putAll(more);
        worker = Worker.start(WorkerSettings.SCHEMA.read(texts));
        gateway = RawGateway.greeted("g-1", worker.linkUri(), TOKEN);
        gateway.attach(1, generation, true);
    }

    /** Where its own pages are. */
    URI adminUri() {
        return worker.adminUri();
    }

    URI linkUri() {
        return worker.linkUri();
    }

    static ServerConfig program(String id, String script) {
        return config(id, "command", "bash", List.of("-c", script));
    }

    static ServerConfig server(String id, String... args) {
        return config(id, "stdio", "node", List.of(args));
    }

    static ServerConfig stdio(String id, String command, String... args) {
        return config(id, "stdio", command, List.of(args));
    }

    private static ServerConfig config(
            String id, String transport, String command, List<String> args) {
        return Json.read(
                Json.raw(
                        Map.of(
                                "installation_id",
                                id,
                                "server_slug",
                                "slug-" + id,
                                "team_id",
                                "t1",
                                "team_slug",
                                "acme",
                                "user_id",
                                "u1",
                                "user_slug",
                                "alice",
                                "transport_type",
                                transport,
                                "command",
                                command,
                                "args",
                                args)),
                ServerConfig.class);
    }

    static InstanceOrder.Apply apply(ServerConfig config, @Nullable Long offset, long token) {
        return new InstanceOrder.Apply(
                Orders.PARTITION,
                offset == null ? null : new RecordOrigin(Orders.COMMANDS, 3, offset),
                offset == null ? null : "cmd-" + offset,
                token,
                offset == null ? Cause.RESTORED : Cause.CREATED,
                config,
                false,
                null,
                null);
    }

    /** Installs it and takes all that it says until it is online; its pid. */
    long install(ServerConfig config, long offset) throws InterruptedException {
        gateway.ask(LinkMethod.APPLY, apply(config, offset, offset), InstanceOrder.Outcome.class);
        hear(config, WholeWorker::online);
        return all(config, EventType.STARTED).getFirst().path("pid").asLong();
    }

    @SuppressWarnings("NullAway") // It does not see that a nested type's component is nullable.
    ToolOrder.Accepted call(ServerConfig config, String tool, long offset)
            throws InterruptedException {
        var path = config.serverSlug() + ":" + tool;
        var order =
                new ToolOrder.Execute(
                        Orders.PARTITION,
                        Orders.origin(offset),
                        config.processId(),
                        ToolRequest.call(
                                "r-" + offset, "t1", "u1", path, RawJson.EMPTY_OBJECT, null),
                        Instant.now().plus(CALL),
                        null,
                        null,
                        null);
        return gateway.ask(LinkMethod.EXECUTE, order, ToolOrder.Accepted.class);
    }

    static boolean online(InstanceEvent event) {
        return is(event, EventType.STATUS_CHANGED)
                && data(event).path("status").asString().equals("online");
    }

    static boolean is(InstanceEvent event, EventType type) {
        return event.type().equals(type.wireName());
    }

    static JsonNode data(InstanceEvent event) {
        var data = event.data();
        return Json.tree(data == null ? RawJson.EMPTY_OBJECT.bytes() : data.bytes());
    }

    /** Takes and acknowledges what comes, until that came of the process. */
    void hear(ServerConfig config, Predicate<InstanceEvent> until) throws InterruptedException {
        InstanceEvent event;
        do {
            event = hearNext();
        } while (!event.processId().equals(config.processId()) || !until.test(event));
    }

    /** Takes and acknowledges what comes, until it is so. */
    void hearUntil(BooleanSupplier enough) throws InterruptedException {
        while (!enough.getAsBoolean()) {
            hearNext();
        }
    }

    private InstanceEvent hearNext() throws InterruptedException {
        var event = take();
        gateway.ack(event.processId(), event.seq());
        gateway.tell(LinkMethod.CREDIT, new SessionNotice.Credit(Orders.PARTITION, EVENT_BYTES));
        return event;
    }

    /** Takes an event without acknowledging it. */
    InstanceEvent take() throws InterruptedException {
        var event = gateway.event();
        heard.computeIfAbsent(event.processId(), _ -> new ArrayList<>()).add(event);
        return event;
    }

    /** Takes what came already. */
    void takeRest() throws InterruptedException {
        gateway.settle();
        while (gateway.hasEvent()) {
            take();
        }
    }

    /** Cuts the connection; what had come was heard, and is where the next one goes on. */
    void cut() throws InterruptedException {
        takeRest();
        gateway.close();
        await().until(() -> metric("perigee_worker_sessions{attached=\"true\"}") == 0);
    }

    Attach.Result resume() throws InterruptedException {
        gateway = RawGateway.greeted("g-1", worker.linkUri(), TOKEN);
        generation++;
        var cursors =
                heard.values().stream()
                        .map(List::getLast)
                        .map(last -> new Attach.Cursor(last.processId(), 0, last.seq()))
                        .toArray(Attach.Cursor[]::new);
        return gateway.attachEventually(1, generation, cursors);
    }

    /** Another gateway, which knows nothing, takes over. */
    Attach.Result takeOver(long epoch) throws InterruptedException {
        gateway = RawGateway.greeted("g-" + epoch, worker.linkUri(), TOKEN);
        heard.clear();
        return gateway.attach(epoch, 1, false);
    }

    List<InstanceEvent> of(ServerConfig config) {
        return heard.getOrDefault(config.processId(), List.of());
    }

    List<Long> seqs(ServerConfig config) {
        return of(config).stream().map(InstanceEvent::seq).toList();
    }

    List<JsonNode> all(ServerConfig config, EventType type) {
        return of(config).stream().filter(event -> is(event, type)).map(WholeWorker::data).toList();
    }

    /** The lines of its log. */
    List<String> lines(ServerConfig config) {
        var lines = new ArrayList<String>();
        for (var logs : all(config, EventType.LOGS)) {
            logs.path("logs").forEach(line -> lines.add(line.path("message").asString()));
        }
        return lines;
    }

    double metric(String name) {
        for (var line : get("/metrics").lines().toList()) {
            if (line.startsWith(name + " ")) {
                return Double.parseDouble(line.substring(name.length() + 1));
            }
        }
        throw new AssertionError("no metric " + name);
    }

    void awaitState(ServerConfig config, String state) {
        var query = "/debug/instances?process=" + config.processId() + "&state=" + state;
        await().atMost(PATIENCE).until(() -> get(query).contains("\"count\":1"));
    }

    private String get(String path) {
        try {
            return http.send(
                            HttpRequest.newBuilder(worker.adminUri().resolve(path)).build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void awaitFile(Path file) {
        await().atMost(PATIENCE).until(() -> Files.exists(file) && Files.size(file) > 0);
    }

    static boolean alive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    @Override
    public void close() {
        gateway.close();
        worker.close();
        http.close();
    }
}
