package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.EventFeed;
import dev.perigee.client.EventFeed.Followed;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.MissingTopicException;
import dev.perigee.client.PerigeeClient;
import dev.perigee.client.TopicTail;
import dev.perigee.local.cli.ScriptedGateway.Answer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the client gives, by what a fleet answers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PerigeeClientTest {
    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);

    private ScriptedGateway gateway;
    private KafkaConnection kafka;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        gateway = ScriptedGateway.withBroker(data, PerigeeClientTest::answer);
        kafka = gateway.connection();
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    @Test
    void manyThreadsEachGetTheirAnswer() throws Exception {
        var wrong = new ConcurrentLinkedQueue<String>();
        try (var client = PerigeeClient.connect(kafka)) {
            var threads = new ArrayList<Thread>();
            for (var i = 0; i < 100; i++) {
                var id = "many-" + i;
                threads.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            if (!isAnswered(client, id)) {
                                                wrong.add(id);
                                            }
                                        }));
            }
            for (var thread : threads) {
                assertThat(thread.join(LONG)).isTrue();
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static boolean isAnswered(PerigeeClient client, String id) {
        try {
            return client.call(request(id), LONG).requestId().equals(id);
        } catch (InterruptedException | TimeoutException e) {
            return false;
        }
    }

    @Test
    void aCommandEndsWithItsTerminalResult() throws Exception {
        try (var client = PerigeeClient.connect(kafka)) {
            assertThat(client.command(command("fine"), LONG).outcome())
                    .isEqualTo(CommandOutcome.COMPLETED);
        }
    }

    @Test
    void saysThatThereWasNoAnswerAndCanAskAgain() throws Exception {
        try (var client = PerigeeClient.connect(kafka)) {
            assertThatThrownBy(() -> client.call(request("silent"), SHORT))
                    .isInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> client.command(command("silent"), SHORT))
                    .isInstanceOf(TimeoutException.class);
            assertThat(client.call(request("after"), LONG).requestId()).isEqualTo("after");
        }
    }

    @Test
    void closingEndsWhatIsWaitedFor() throws Exception {
        var client = PerigeeClient.connect(kafka);
        // Its first record waits for the topic's metadata, and closing would end that wait.
        assertThat(client.call(request("before"), LONG).requestId()).isEqualTo("before");
        var ended = new ConcurrentLinkedQueue<Throwable>();
        var waiting =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        client.call(request("silent"), LONG);
                                    } catch (Exception e) {
                                        ended.add(e);
                                    }
                                });
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        client.close();

        assertThat(waiting.join(LONG)).isTrue();
        assertThat(ended).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(client.isOpen()).isFalse();
        // Of what was sent the producer would say that it is closed.
        assertThatThrownBy(() -> client.call(request("after"), LONG))
                .hasMessage("The client was closed");
        assertThatThrownBy(() -> client.command(command("after"), LONG))
                .hasMessage("The client was closed");
    }

    @Test
    void namesAMissingTopic() {
        var elsewhere = new KafkaConnection(kafka.bootstrap(), new TopicNames("other."), Map.of());

        assertThatThrownBy(() -> PerigeeClient.connect(elsewhere))
                .isInstanceOf(MissingTopicException.class)
                .hasMessageContaining("other.");
    }

    @Test
    void aFeedTellsEachEventOnce() {
        publish("p-1", "p-1/5/1", event("p-1", ServerStatus.CONNECTING));
        publish("p-1", "p-1/5/2", event("p-1", ServerStatus.ONLINE));
        publish("p-1", "p-1/5/1", event("p-1", ServerStatus.CONNECTING));
        publish("p-1", "p-1/5/2", event("p-1", ServerStatus.ONLINE));
        publish("p-1", null, null);

        try (var feed =
                EventFeed.open(kafka, new TopicTail.Start.Beginning(), Set.of(Topic.STATUS))) {
            assertThat(statuses(feed, "p-1", 3)).containsExactly("connecting", "online", "gone");
        }
    }

    @Test
    void aGroupGoesOnWhereItWas() {
        publish("p-2", "p-2/5/1", event("p-2", ServerStatus.CONNECTING));
        try (var feed = EventFeed.inGroup(kafka, "a-backend", Set.of(Topic.STATUS))) {
            assertThat(statuses(feed, "p-2", 1)).containsExactly("connecting");
            feed.next(Duration.ZERO); // What was handed out counts as done.
            publish("p-2", "p-2/5/2", event("p-2", ServerStatus.ERROR));
            assertThat(statuses(feed, "p-2", 1)).containsExactly("error");
        }
        try (var feed = EventFeed.inGroup(kafka, "a-backend", Set.of(Topic.STATUS))) {
            assertThat(statuses(feed, "p-2", 1)).containsExactly("error");
        }
    }

    private static List<String> statuses(EventFeed feed, String process, int count) {
        var statuses = new ArrayList<String>();
        await().atMost(LONG)
                .until(
                        () -> {
                            feed.next(Duration.ofMillis(100)).stream()
                                    .filter(each -> each.processId().equals(process))
                                    .map(PerigeeClientTest::statusOf)
                                    .forEach(statuses::add);
                            return statuses.size() >= count;
                        });
        return statuses;
    }

    private static String statusOf(Followed followed) {
        var event = followed.event();
        return event != null && event.body() instanceof EventBody.StatusChanged changed
                ? changed.status().wireName()
                : "gone";
    }

    private void publish(String key, @Nullable String id, @Nullable Event event) {
        try (var producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            var record =
                    new ProducerRecord<>(
                            "mcp.status",
                            key.getBytes(StandardCharsets.UTF_8),
                            event == null ? null : Json.write(event));
            if (id != null) {
                record.headers().add("ce_id", id.getBytes(StandardCharsets.UTF_8));
            }
            var _ = producer.send(record);
        }
    }

    private static Event event(String process, ServerStatus status) {
        return Event.of(
                new EventOrigin(process, null, "i", null, "s", "t", "u", "w", 1, TIME),
                new EventBody.StatusChanged(status, null, null, null));
    }

    private static ToolRequest request(String id) {
        return ToolRequest.call(id, "t", "u", "s:echo", RawJson.EMPTY_OBJECT, 1000L);
    }

    private static Command command(String id) {
        var payload = CommandPayload.about(null, "i", "t", "u", null);
        return new Command(id, "restart", null, null, TIME, null, payload);
    }

    private static List<Answer> answer(Topic topic, byte[] value) {
        if (topic == Topic.COMMANDS) {
            var command = Json.read(value, Command.class);
            return command.id().equals("silent")
                    ? List.of(result(command, CommandOutcome.ACKNOWLEDGED))
                    : List.of(
                            result(command, CommandOutcome.ACKNOWLEDGED),
                            result(command, CommandOutcome.COMPLETED));
        }
        var request = Json.read(value, ToolRequest.class);
        if (request.requestId().equals("silent")) {
            return List.of();
        }
        var error = ToolError.of(ErrorCode.UNKNOWN_SERVER, "none", null);
        var result = ToolResult.refused(request, null, error, TIME);
        return List.of(new Answer(Topic.TOOL_RESULTS, request.requestId(), result));
    }

    private static Answer result(Command command, CommandOutcome outcome) {
        var details = CommandDetails.status(ServerStatus.ONLINE, null);
        var result =
                new CommandResult(
                        CommandResult.EVENT, command.id(), null, outcome, "p", details, null, TIME);
        return new Answer(Topic.COMMAND_RESULTS, command.id(), result);
    }
}
