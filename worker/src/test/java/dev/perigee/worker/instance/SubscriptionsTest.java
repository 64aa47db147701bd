package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.ListChanged;
import dev.perigee.protocol.event.EventBody.Notification;
import dev.perigee.protocol.event.EventBody.ResourceUpdated;
import dev.perigee.protocol.event.EventBody.Subscriptions;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CAL-09: subscriptions of a real server, and what it notifies of")
final class SubscriptionsTest {
    private static final String URI = "x://one";
    private static final Map<String, String> NEVER_IDLE = Map.of("idle.timeout", "0");

    private final InstanceBench bench = new InstanceBench(NEVER_IDLE);

    @AfterEach
    void end() {
        bench.close();
    }

    private static ServerConfig server(String era, String... flags) {
        var all = new ArrayList<>(List.of("--subscribe", "--era", era));
        all.addAll(List.of(flags));
        return InstanceBench.server(
                "a", Map.of("API_KEY", "very-secret"), all.toArray(String[]::new));
    }

    private static ToolResult ask(
            InstanceBench of, ServerConfig config, String method, String uri) {
        var path = config.serverSlug() + "|" + uri;
        return of.perform(of.request(config, "resources/" + method, path, null));
    }

    private ToolResult ask(ServerConfig config, String method, String uri) {
        return ask(bench, config, method, uri);
    }

    private void subscribe(ServerConfig config, String uri) {
        var result = ask(config, "subscribe", uri);
        assertThat(result.outcome()).as(String.valueOf(result)).isEqualTo(ToolOutcome.SUCCESS);
    }

    /** What the server is subscribed to, after it said that this resource changed. */
    private static String touch(InstanceBench of, ServerConfig config, String uri) {
        return of.text(config, "touch", Map.of("uri", uri));
    }

    private static List<ResourceUpdated> updates(InstanceBench of, ServerConfig config) {
        return of.journal(config).all(ResourceUpdated.class);
    }

    private static List<String> changes(InstanceBench of, ServerConfig config) {
        return of.journal(config).all(Subscriptions.class).stream()
                .map(each -> each.change() + " " + each.count())
                .toList();
    }

    private static void awaitUpdates(InstanceBench of, ServerConfig config, int count) {
        await().atMost(InstanceBench.PATIENCE).until(() -> updates(of, config).size() >= count);
    }

    private static void awaitRenewed(InstanceBench of, ServerConfig config) {
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> changes(of, config).stream().anyMatch(s -> s.startsWith("renewed")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("a resource is subscribed to, told of, and given up")
    void subscribes(String era) {
        var config = server(era);
        bench.configure(config);

        subscribe(config, URI);
        subscribe(config, URI);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);
        awaitUpdates(bench, config, 1);
        assertThat(updates(bench, config).getFirst()).isEqualTo(new ResourceUpdated(URI, null));
        var kept = DurableState.read(bench.journal(config).durable);
        assertThat(kept.subscriptions()).containsExactly(URI);

        subscribe(config, "x://two");
        assertThat(touch(bench, config, URI)).isEqualTo("x://one x://two");
        awaitUpdates(bench, config, 2);
        var ended = ask(config, "unsubscribe", URI);
        assertThat(ended.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(touch(bench, config, URI)).isEqualTo("x://two");
        assertThat(changes(bench, config))
                .containsExactly("subscribed 1", "subscribed 2", "unsubscribed 1");
        var left = DurableState.read(bench.journal(config).durable);
        assertThat(left.subscriptions()).containsExactly("x://two");
        assertThat(updates(bench, config)).hasSize(2);
    }

    @Test
    @DisplayName("is answered once it is durable, and a repeated request as well")
    void durableFirst() throws Exception {
        var config = server("legacy");
        bench.configure(config);
        var waiting = new CopyOnWriteArrayList<Runnable>();
        bench.journal(config).unacknowledged = waiting;

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> ask(config, "subscribe", URI));
            await().atMost(InstanceBench.PATIENCE).until(() -> waiting.size() == 1);
            var second = threads.submit(() -> ask(config, "subscribe", URI));
            assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
            assertThat(first.isDone()).isFalse();
            assertThat(second.isDone()).isFalse();
            waiting.forEach(Runnable::run);

            assertThat(first.get().outcome()).isEqualTo(ToolOutcome.SUCCESS);
            assertThat(second.get().outcome()).isEqualTo(ToolOutcome.SUCCESS);
        }
        assertThat(changes(bench, config)).containsExactly("subscribed 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("is made again after a crash: updates arrive again")
    void crashed(String era) {
        var config = server(era);
        bench.configure(config);
        subscribe(config, URI);
        subscribe(config, "x://two");

        bench.call(config, "crash", Map.of("signal", "SIGKILL"));

        awaitRenewed(bench, config);
        assertThat(changes(bench, config)).endsWith("renewed 2");
        assertThat(touch(bench, config, URI)).isEqualTo("x://one x://two");
        awaitUpdates(bench, config, 1);
    }

    @Test
    @DisplayName("is made again when a modern server ends it, and its lists are followed on")
    void hungUp() {
        var config = server("modern");
        bench.configure(config);
        subscribe(config, URI);
        long before = listens(config, "toolsListChanged");

        bench.call(config, "hang_up", Map.of());

        awaitRenewed(bench, config);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);
        awaitUpdates(bench, config, 1);
        await().atMost(InstanceBench.PATIENCE)
                .until(() -> listens(config, "toolsListChanged") == before + 1);
    }

    /** How often the server was asked to notify of this. */
    private long listens(ServerConfig config, String what) {
        return Pattern.compile(Pattern.quote(what))
                .matcher(bench.text(config, "record", Map.of()))
                .results()
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("keeps no server awake; the call that wakes it has it subscribed again")
    void slept(String era) {
        var config = server(era);
        bench.configure(config);
        subscribe(config, URI);
        subscribe(config, "x://two");
        bench.call(config, "exit0", Map.of());
        await().atMost(InstanceBench.PATIENCE).until(() -> bench.snapshot(config).dormant());

        var ended = ask(config, "unsubscribe", "x://two");
        assertThat(ended.outcome()).isEqualTo(ToolOutcome.SUCCESS);
        assertThat(bench.snapshot(config).dormant()).isTrue();

        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        awaitRenewed(bench, config);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);
        awaitUpdates(bench, config, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("is made again on the next worker")
    void moved(String era) {
        var config = server(era);
        bench.configure(config);
        subscribe(config, URI);
        var durable = bench.journal(config).durable;

        try (var next = new InstanceBench(NEVER_IDLE)) {
            next.settle(next.submit(config, Cause.RESTORED, false, durable));
            awaitRenewed(next, config);
            assertThat(touch(next, config, URI)).isEqualTo(URI);
            awaitUpdates(next, config, 1);
        }
    }

    @Test
    @DisplayName("holds over a configuration with other arguments, and ends with another command")
    void configured() {
        var config = server("legacy");
        bench.configure(config);
        subscribe(config, URI);

        bench.configure(server("legacy", "--other"));
        awaitRenewed(bench, config);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);

        var args = new ArrayList<>(List.of("node"));
        args.addAll(config.args());
        var env = Map.of("API_KEY", "very-secret");
        bench.configure(InstanceBench.program("a", TransportType.STDIO, "env", args, env, null));
        assertThat(changes(bench, config)).endsWith("unsubscribed 0");
        var kept = DurableState.read(bench.journal(config).durable);
        assertThat(kept.subscriptions()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("that the server refuses is not kept")
    void refused(String era) {
        var config = server(era);
        bench.configure(config);

        var error = Objects.requireNonNull(ask(config, "subscribe", "no:such").error());

        assertThat(error.code()).isEqualTo(ErrorCode.SERVER_ERROR);
        assertThat(changes(bench, config)).isEmpty();
        subscribe(config, URI);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);
    }

    @Test
    @DisplayName("beyond the bounds is refused before the server is asked")
    void bounded() {
        var config = server("legacy");
        bench.configure(config);

        assertThat(code(ask(config, "subscribe", "x".repeat(2049))))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(code(ask(config, "subscribe", "x://very-secret")))
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        for (int n = 0; n < 100; n++) {
            subscribe(config, "x://" + n);
        }
        assertThat(code(ask(config, "subscribe", URI))).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(touch(bench, config, URI)).doesNotContain(URI);
    }

    private static ErrorCode code(ToolResult result) {
        return Objects.requireNonNull(result.error()).code();
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "modern"})
    @DisplayName("lists that change, and anything else, are told without a subscription")
    void notifies(String era) {
        var config = server(era);
        bench.configure(config);

        say(config, "notifications/prompts/list_changed", Map.of());
        say(config, "notifications/resources/list_changed", Map.of());
        bench.call(config, "tools_set", Map.of("names", List.of("echo", "notify", "record")));
        say(config, "notifications/x", Map.of("params", Map.of("key", "very-secret")));

        await().atMost(InstanceBench.PATIENCE)
                .until(() -> !bench.journal(config).all(Notification.class).isEmpty());
        assertThat(bench.journal(config).all(ListChanged.class))
                .extracting(ListChanged::list)
                .containsExactlyInAnyOrder("prompts", "resources", "tools");
        var other = bench.journal(config).all(Notification.class).getFirst();
        assertThat(other.method()).isEqualTo("notifications/x");
        assertThat(Json.tree(Objects.requireNonNull(other.params()).bytes()).toString())
                .isEqualTo("{\"key\":\"***\"}");
        var record = bench.text(config, "record", Map.of());
        assertThat(record.contains("promptsListChanged")).isEqualTo(era.equals("modern"));
    }

    private void say(ServerConfig config, String method, Map<String, ?> more) {
        var arguments = new HashMap<String, Object>(more);
        arguments.put("method", method);
        var result = bench.call(config, "notify", arguments);
        assertThat(result.outcome()).isEqualTo(ToolOutcome.SUCCESS);
    }

    @Test
    @DisplayName("a server that notifies without end is bounded and said in the log, calls go on")
    void floods() {
        var config = server("legacy");
        bench.configure(config);
        subscribe(config, URI);

        bench.call(config, "touch", Map.of("uri", URI, "n", 50_000));
        bench.call(
                config, "touch", Map.of("uri", "x://", "n", 50_000, "each", true, "anyway", true));
        say(config, "notifications/x", Map.of("n", 2_000, "each", true));
        say(config, "notifications/large", Map.of("n", 20, "bytes", 1 << 20));

        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        await().atMost(InstanceBench.PATIENCE)
                .until(
                        () ->
                                bench.journal(config).lines().stream()
                                        .anyMatch(line -> line.contains("were left out")));
        var events =
                bench.journal(config).events.stream().filter(SubscriptionsTest::isNotice).toList();
        assertThat(events).hasSizeBetween(2, 1_000);
        assertThat(bench.journal(config).all(Notification.class))
                .allMatch(each -> each.params() == null || each.params().size() < 17 << 10);
    }

    /** Whether a server may provoke it. */
    private static boolean isNotice(EventBody event) {
        return event instanceof ResourceUpdated
                || event instanceof ListChanged
                || event instanceof Notification;
    }

    @Test
    @DisplayName("a gateway of an earlier version gets none of it, and the URIs are kept")
    void olderGateway() {
        var config = server("legacy");
        bench.configure(config);
        bench.journal(config).protocol = LinkVersions.QUESTIONS;

        subscribe(config, URI);
        assertThat(touch(bench, config, URI)).isEqualTo(URI);
        say(config, "notifications/x", Map.of());

        assertThat(bench.text(config, "echo", Map.of("message", "hi"))).isEqualTo("hi");
        assertThat(bench.journal(config).events).noneMatch(SubscriptionsTest::isNotice);
        var kept = DurableState.read(bench.journal(config).durable);
        assertThat(kept.subscriptions()).containsExactly(URI);
    }
}
