package dev.perigee.bench;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls through a running fleet, as a backend makes them. */
final class FleetEcho implements EchoPath {
    private static final Logger log = LoggerFactory.getLogger(FleetEcho.class);
    private static final RawJson ARGUMENTS = RawJson.of("{\"message\":\"hi\"}");
    private static final long TIMEOUT_MS = 30_000;

    private final RecordKey user;
    private final String toolPath;
    private final String requests;
    private final byte[] key;
    private final String idPrefix = "bench-" + System.nanoTime() + "-";
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordLoop results;
    private final Map<String, Runnable> waiting = new ConcurrentHashMap<>();

    FleetEcho(String bootstrap, TopicNames topics, RecordKey user, String serverSlug) {
        this.user = user;
        this.toolPath = ToolPath.of(serverSlug, "echo");
        this.requests = topics.of(Topic.TOOL_REQUESTS);
        this.key = user.toString().getBytes(StandardCharsets.UTF_8);
        this.producer = KafkaClients.producer(bootstrap);
        this.results = RecordLoop.start(bootstrap, topics.of(Topic.TOOL_RESULTS), this::result);
    }

    @Override
    public void send(long id, Runnable answered) {
        var request =
                new ToolRequest(
                        idPrefix + id,
                        user.teamId(),
                        String.valueOf(user.userId()),
                        ToolMethod.TOOLS_CALL.wireName(),
                        toolPath,
                        null,
                        ARGUMENTS,
                        TIMEOUT_MS,
                        null,
                        null);
        waiting.put(request.requestId(), answered);
        var _ = producer.send(new ProducerRecord<>(requests, key, Json.write(request)));
    }

    private void result(ConsumerRecord<byte[], byte[]> answer) {
        var answered = waiting.remove(new String(answer.key(), StandardCharsets.UTF_8));
        if (answered == null) {
            return;
        }
        var result = Json.read(answer.value(), ToolResult.class);
        if (result.outcome() == ToolOutcome.SUCCESS) {
            answered.run();
        } else {
            log.atError()
                    .addKeyValue("request_id", result.requestId())
                    .addKeyValue("error", result.error())
                    .log("A call of the benchmark failed");
        }
    }

    @Override
    public void close() {
        producer.close();
        results.close();
    }
}
