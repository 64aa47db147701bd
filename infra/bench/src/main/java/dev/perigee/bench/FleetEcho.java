package dev.perigee.bench;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Calls through a running fleet, as a backend makes them. */
final class FleetEcho implements EchoPath {
    private static final RawJson ARGUMENTS = RawJson.of("{\"message\":\"hi\"}");
    private static final long TIMEOUT_MS = 30_000;

    private final RecordKey user;
    private final String toolPath;
    private final String requests;
    private final byte[] key;
    private final String idPrefix = "bench-" + System.nanoTime() + "-";
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordLoop results;
    private final Map<String, Answer> waiting = new ConcurrentHashMap<>();

    FleetEcho(String bootstrap, TopicNames topics, RecordKey user, String serverSlug) {
        this.user = user;
        this.toolPath = ToolPath.of(serverSlug, "echo");
        this.requests = topics.of(Topic.TOOL_REQUESTS);
        this.key = user.toString().getBytes(StandardCharsets.UTF_8);
        this.producer = KafkaClients.producer(bootstrap);
        this.results = RecordLoop.start(bootstrap, topics.of(Topic.TOOL_RESULTS), this::result);
    }

    @Override
    public void send(long id, Answer answer) {
        var request =
                ToolRequest.call(
                        idPrefix + id,
                        user.teamId(),
                        String.valueOf(user.userId()),
                        toolPath,
                        ARGUMENTS,
                        TIMEOUT_MS);
        waiting.put(request.requestId(), answer);
        var _ = producer.send(new ProducerRecord<>(requests, key, Json.write(request)));
    }

    private void result(ConsumerRecord<byte[], byte[]> result) {
        var answer = waiting.remove(new String(result.key(), StandardCharsets.UTF_8));
        if (answer == null) {
            return;
        }
        var value = Json.read(result.value(), ToolResult.class);
        if (value.outcome() == ToolOutcome.SUCCESS) {
            answer.arrived();
        } else {
            answer.failed(String.valueOf(value.error()));
        }
    }

    @Override
    public void close() {
        producer.close();
        results.close();
    }
}
