package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.KafkaConnection;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a fleet on one partition of each topic: answers each command and request with the
 * records that a script says.
 */
final class ScriptedGateway implements AutoCloseable {
    /** One record of an answer. */
    record Answer(Topic topic, String key, Object value) {
        /** A command's result: it came right. */
        static Answer completed(Command command, @Nullable CommandDetails details, Instant at) {
            return new Answer(
                    Topic.COMMAND_RESULTS,
                    command.id(),
                    new CommandResult(
                            CommandResult.EVENT,
                            command.id(),
                            null,
                            CommandOutcome.COMPLETED,
                            null,
                            details,
                            null,
                            at));
        }
    }

    private final String bootstrap;
    private final TopicNames names;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread thread;
    private @Nullable EmbeddedBroker broker;

    ScriptedGateway(
            String bootstrap, TopicNames names, BiFunction<Topic, byte[], List<Answer>> script) {
        this.bootstrap = bootstrap;
        this.names = names;
        this.producer = connection().producer(Map.of("linger.ms", 0));
        this.consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrap),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        var inbound =
                List.of(
                        new TopicPartition(names.of(Topic.COMMANDS), 0),
                        new TopicPartition(names.of(Topic.TOOL_REQUESTS), 0));
        consumer.assign(inbound);
        consumer.seekToBeginning(inbound);
        this.thread = Thread.ofPlatform().name("scripted-gateway").start(() -> run(script));
    }

    /**
     * One with a broker of its own, with all topics under their usual names.
     *
     * @param data an empty directory for the broker
     */
    static ScriptedGateway withBroker(Path data, BiFunction<Topic, byte[], List<Answer>> script)
            throws IOException {
        var broker = EmbeddedBroker.start(data);
        try {
            var bootstrap = broker.bootstrap();
            var topics = CliRun.of("topics", "--bootstrap", bootstrap, "--partitions", "1");
            assertThat(topics.exitCode()).as(topics.err()).isZero();
            var gateway = new ScriptedGateway(bootstrap, new TopicNames("mcp."), script);
            gateway.broker = broker;
            return gateway;
        } catch (RuntimeException | AssertionError e) {
            broker.close();
            throw e;
        }
    }

    /** How clients reach it. */
    KafkaConnection connection() {
        return new KafkaConnection(bootstrap, names, Map.of());
    }

    private void run(BiFunction<Topic, byte[], List<Answer>> script) {
        try {
            while (true) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    var topic =
                            record.topic().equals(names.of(Topic.COMMANDS))
                                    ? Topic.COMMANDS
                                    : Topic.TOOL_REQUESTS;
                    script.apply(topic, record.value()).forEach(this::publish);
                }
            }
        } catch (InterruptException e) {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    void publish(Answer answer) {
        var record =
                new ProducerRecord<>(
                        names.of(answer.topic()),
                        answer.key().getBytes(StandardCharsets.UTF_8),
                        Json.write(answer.value()));
        if (answer.value() instanceof Event event) {
            record.headers().add(Headers.CE_TYPE, event.event().getBytes(StandardCharsets.UTF_8));
        }
        var _ = producer.send(record);
    }

    void publishTombstone(Topic topic, String key) {
        var _ =
                producer.send(
                        new ProducerRecord<>(
                                names.of(topic), key.getBytes(StandardCharsets.UTF_8), null));
    }

    void flush() {
        producer.flush();
    }

    @Override
    public void close() {
        thread.interrupt();
        producer.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (broker != null) {
            broker.close();
        }
    }
}
