package dev.perigee.local.connect;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.KafkaRefusedException;
import dev.perigee.client.MissingTopicException;
import dev.perigee.client.PerigeeClient;
import dev.perigee.client.TopicTail;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Reader of what a user's servers offer, on a platform thread of its own: puts the first offer into
 * the {@link Sink} when it has read the topics to their ends, after {@link #PATIENCE} in any case,
 * and later ones as they change, two a second at most. Which tools are disabled it asks the fleet,
 * at first and after each change. A failure is the last thing that it puts there.
 */
final class CatalogueFeed implements AutoCloseable {
    /** Longest time until the first offer. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration CLOSE = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ConnectOptions options;
    private final PerigeeClient client;
    private final Sink sink;
    private final Consumer<String> note;
    private final Catalogues catalogues;
    private final TopicTail tools;
    private final TopicTail changes;
    private final Thread thread;
    private volatile boolean closed;

    /** Taker of what is read. */
    interface Sink {
        /** Takes it, and waits for room. */
        void put(Input input) throws InterruptedException;
    }

    private record Enabled(@Nullable List<EnabledTool> tools) {}

    private record EnabledTool(@Nullable String toolName, @Nullable String installationId) {}

    private record Kind(@Nullable String event) {}

    private CatalogueFeed(
            ConnectOptions options,
            PerigeeClient client,
            Sink sink,
            Consumer<String> note,
            TopicTail tools,
            TopicTail changes) {
        this.options = options;
        this.client = client;
        this.sink = sink;
        this.note = note;
        this.catalogues = new Catalogues(options, note);
        this.tools = tools;
        this.changes = changes;
        this.thread =
                Thread.ofPlatform().daemon().name("perigee-connect-tools").unstarted(this::run);
    }

    /**
     * Opens it; nothing is read yet.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when the topic of tools or lifecycle is not there
     * @throws KafkaRefusedException when a broker refuses
     */
    static CatalogueFeed open(
            KafkaConnection connection,
            ConnectOptions options,
            PerigeeClient client,
            Sink sink,
            Consumer<String> note) {
        var tools = tools(connection, note);
        try {
            var changes = TopicTail.open(connection, new TopicTail.Start.End(), Topic.LIFECYCLE);
            return new CatalogueFeed(options, client, sink, note, tools, changes);
        } catch (RuntimeException e) {
            tools.close();
            throw e;
        }
    }

    private static TopicTail tools(KafkaConnection connection, Consumer<String> note) {
        var start = new TopicTail.Start.Beginning();
        try {
            return TopicTail.open(connection, start, Topic.TOOLS, Topic.CATALOG);
        } catch (MissingTopicException e) {
            var tail = TopicTail.open(connection, start, Topic.TOOLS);
            note.accept(
                    "There is no topic "
                            + connection.name(Topic.CATALOG)
                            + ": tools have no titles, output schemas and annotations.");
            return tail;
        }
    }

    void start() {
        thread.start();
    }

    private void run() {
        try (tools;
                changes) {
            readAll();
            refresh();
            put(catalogues.offer());
            follow();
        } catch (InterruptedException | InterruptException e) {
            Thread.currentThread().interrupt(); // Closed.
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void fail(RuntimeException why) {
        if (closed) {
            return;
        }
        try {
            sink.put(new Input.Failed(why));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Closed.
        }
    }

    private void readAll() {
        long begun = System.nanoTime();
        while (!closed && !tools.hasCaughtUp()) {
            tools.poll(POLL).forEach(this::take);
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                note.accept("The catalogue is not read to its end yet: more tools may follow.");
                return;
            }
        }
    }

    private void follow() throws InterruptedException {
        boolean changed = false;
        long put = System.nanoTime();
        while (!closed) {
            for (var record : tools.poll(POLL)) {
                changed |= take(record);
            }
            boolean switched = false;
            for (var record : changes.poll(Duration.ZERO)) {
                switched |= isChange(record.value());
            }
            if (switched) {
                changed |= refresh();
            }
            if (changed && System.nanoTime() - put > PAUSE_NANOS) {
                changed = false;
                put = System.nanoTime();
                put(catalogues.offer());
            }
        }
    }

    private boolean take(ConsumerRecord<byte[], byte[]> record) {
        return record.key() != null
                && catalogues.take(
                        new String(record.key(), StandardCharsets.UTF_8), record.value());
    }

    private boolean isChange(byte @Nullable [] value) {
        try {
            return value != null
                    && EventType.TOOLS_UPDATED
                            .wireName()
                            .equals(Json.read(value, Kind.class).event())
                    && catalogues.isOurs(value);
        } catch (InvalidRecordException e) {
            return false;
        }
    }

    /** Asks which tools may be called; without an answer it stays as it was. */
    private boolean refresh() throws InterruptedException {
        var known = catalogues.known();
        if (closed || known.isEmpty()) {
            return false;
        }
        try {
            var request =
                    new ToolRequest(
                            "connect-" + UUID.randomUUID(),
                            options.teamId(),
                            options.userId(),
                            ToolMethod.TOOLS_LIST.wireName(),
                            null,
                            null,
                            null,
                            ANSWER.toMillis(),
                            null,
                            null);
            var answer = client.call(request, ANSWER);
            var result = answer.result();
            return answer.outcome() == ToolOutcome.SUCCESS
                    && result != null
                    && catalogues.enabled(known, byInstallation(Json.read(result, Enabled.class)));
        } catch (TimeoutException | BrokerUnreachableException e) {
            note.accept("The fleet does not say which tools are disabled: all are listed.");
            return false;
        }
    }

    private static Map<String, Set<String>> byInstallation(Enabled enabled) {
        var names = new HashMap<String, Set<String>>();
        if (enabled.tools() != null) {
            for (var tool : enabled.tools()) {
                if (tool.toolName() != null && tool.installationId() != null) {
                    names.computeIfAbsent(tool.installationId(), _ -> new HashSet<>())
                            .add(tool.toolName());
                }
            }
        }
        return names;
    }

    private void put(Offer offer) throws InterruptedException {
        sink.put(new Input.Offered(offer));
    }

    @Override
    public void close() {
        closed = true;
        try {
            if (!thread.isAlive() || thread.join(CLOSE)) {
                return;
            }
            thread.interrupt(); // It waits for a broker, or for an answer.
            if (!thread.join(CLOSE)) {
                note.accept("The catalogue's reader does not end; it is left behind.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
