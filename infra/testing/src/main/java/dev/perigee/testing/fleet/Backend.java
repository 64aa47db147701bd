package dev.perigee.testing.fleet;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A backend: a plain Kafka producer and what it reads back. Thread-safe. */
public final class Backend implements AutoCloseable {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Longer than any broker is away. */
    private static final Duration DELIVERY = Duration.ofMinutes(10);

    private static final Duration REMOVAL = Duration.ofSeconds(10);

    private final KafkaProducer<byte[], byte[]> producer;
    private final String bootstrap;
    private final TopicNames names;
    private final Records records;

    /** Installations that it has configured and not uninstalled, by process id. */
    private final Map<String, Installation> configured = new ConcurrentHashMap<>();

    public Backend(String bootstrap, TopicNames names, Records records) {
        this(bootstrap, names, records, "none");
    }

    private Backend(String bootstrap, TopicNames names, Records records, String compression) {
        this.bootstrap = bootstrap;
        this.names = names;
        this.records = records;
        this.producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrap,
                                ProducerConfig.LINGER_MS_CONFIG,
                                0,
                                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                                Math.toIntExact(DELIVERY.toMillis()),
                                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                                DELIVERY.toMillis(),
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                compression,
                                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                                1, // As the integration page says.
                                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                                20 << 20,
                                ProducerConfig.BUFFER_MEMORY_CONFIG,
                                64L << 20),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    /** Another backend of the same fleet, which compresses what it writes, by Kafka's names. */
    public Backend compressing(String compression) {
        return new Backend(bootstrap, names, records, compression);
    }

    /** Writes any bytes under any key, and waits until the broker has them. */
    public RecordMetadata send(Topic topic, String key, byte[] value) {
        return send(
                new ProducerRecord<>(names.of(topic), key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Writes a record as it is, and waits until the broker has it. */
    public RecordMetadata send(ProducerRecord<byte[], byte[]> record) {
        try {
            return producer.send(record).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("The broker did not take the record", e);
        }
    }

    /** Writes a command for an installation and gives its id; {@code change} may alter it. */
    public String command(
            Installation installation, String type, UnaryOperator<ObjectNode> change) {
        var id = "cmd-" + UUID.randomUUID();
        var command = NODES.objectNode().put("id", id).put("command_type", type);
        command.putObject("payload")
                .put("installation_id", installation.installationId())
                .put("team_id", installation.teamId())
                .put("user_id", installation.userId());
        send(Topic.COMMANDS, installation.key(), Json.write(change.apply(command)));
        return id;
    }

    /** The same command for every user of the installation's team. */
    public String commandForAll(
            Installation installation, String type, UnaryOperator<ObjectNode> change) {
        var id = "cmd-" + UUID.randomUUID();
        var command = NODES.objectNode().put("id", id).put("command_type", type);
        command.putObject("payload")
                .put("installation_id", installation.installationId())
                .put("team_id", installation.teamId());
        send(Topic.COMMANDS, installation.teamId() + "/*", Json.write(change.apply(command)));
        return id;
    }

    /** Removes an installation of every user; gives the command's id. */
    public String deleteForAll(Installation installation) {
        return commandForAll(installation, "configure", Backend::removal);
    }

    /** A configure command as the one that removes an instance. */
    public static ObjectNode removal(ObjectNode command) {
        ((ObjectNode) command.get("payload")).put("event", "mcp_installation_deleted");
        return command;
    }

    /** A configure command of a kind, with the configuration. */
    public String configure(Installation installation, String event) {
        configured.put(installation.processId(), installation);
        return command(
                installation,
                "configure",
                command -> {
                    var payload = (ObjectNode) command.get("payload");
                    payload.put("event", event).set("config", installation.config());
                    return command;
                });
    }

    /** Installs a server and waits until it is online. */
    public Installation install(Installation installation) {
        return install(List.of(installation)).getFirst();
    }

    /** Installs servers at the same time, and waits until all are online. */
    public List<Installation> install(List<Installation> installations) {
        var ids =
                installations.stream().map(i -> configure(i, "mcp_installation_created")).toList();
        for (var id : ids) {
            var result = result(id);
            if (!result.text("outcome").equals("completed")
                    || !result.text("result/resulting_status").equals("online")) {
                throw new AssertionError("Not online after the installation: " + result);
            }
        }
        return installations;
    }

    /** Removes an instance and waits for the result. */
    public Received uninstall(Installation installation) {
        configured.remove(installation.processId());
        return result(command(installation, "configure", Backend::removal));
    }

    /** Uninstalls what it has configured and not uninstalled, and waits up to ten seconds. */
    public void uninstallAll() {
        var removals =
                configured.values().stream()
                        .map(each -> command(each, "configure", Backend::removal))
                        .toList();
        configured.clear();
        var _ =
                records.awaitEach(
                        Topic.COMMAND_RESULTS,
                        result ->
                                result.text("outcome").equals("acknowledged")
                                        ? ""
                                        : result.text("command_id"),
                        removals,
                        REMOVAL);
    }

    /** The terminal result of a command. */
    public Received result(String commandId) {
        return records.await(
                Topic.COMMAND_RESULTS,
                "terminal result of " + commandId,
                received ->
                        received.text("command_id").equals(commandId)
                                && !received.text("outcome").equals("acknowledged"));
    }

    /** Writes a tools/call and gives its request id. */
    public String request(Installation installation, String tool, String arguments) {
        return request(installation, tool, arguments, UnaryOperator.identity());
    }

    /** Writes a tools/call that {@code change} may alter, and gives its request id. */
    public String request(
            Installation installation,
            String tool,
            String arguments,
            UnaryOperator<ObjectNode> change) {
        var id = "req-" + UUID.randomUUID();
        var request = change.apply(toolCall(id, installation, tool, arguments));
        send(Topic.TOOL_REQUESTS, installation.key(), Json.write(request));
        return id;
    }

    /** Writes so many tools/call as fast as the broker takes them, and gives their ids. */
    public List<String> flood(Installation installation, String tool, String arguments, int count) {
        return flood(installation, tool, arguments, count, UnaryOperator.identity());
    }

    /** The same of requests that {@code change} may alter. */
    public List<String> flood(
            Installation installation,
            String tool,
            String arguments,
            int count,
            UnaryOperator<ObjectNode> change) {
        var key = installation.key().getBytes(StandardCharsets.UTF_8);
        var ids = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            var id = "req-" + UUID.randomUUID();
            var call = toolCall(id, installation, tool, arguments);
            var _ =
                    producer.send(
                            new ProducerRecord<>(
                                    names.of(Topic.TOOL_REQUESTS),
                                    key,
                                    Json.write(change.apply(call))));
            ids.add(id);
        }
        producer.flush();
        return ids;
    }

    private static ObjectNode toolCall(
            String id, Installation installation, String tool, String arguments) {
        var request =
                NODES.objectNode()
                        .put("request_id", id)
                        .put("team_id", installation.teamId())
                        .put("user_id", installation.userId())
                        .put("method", "tools/call")
                        .put("tool_path", installation.toolPath(tool));
        request.set("arguments", Json.tree(arguments.getBytes(StandardCharsets.UTF_8)));
        return request;
    }

    /** The terminal result of a request. */
    public Received answer(String requestId) {
        return records.await(
                Topic.TOOL_RESULTS,
                "result of " + requestId,
                received -> received.text("request_id").equals(requestId));
    }

    /** The terminal results of requests, in the order of these. */
    public List<Received> answers(List<String> requestIds) {
        return requestIds.stream().map(this::answer).toList();
    }

    /** Calls a tool and waits for the result. */
    public Received call(Installation installation, String tool, String arguments) {
        return answer(request(installation, tool, arguments));
    }

    /** Calls a tool that must succeed, and gives the text of its answer. */
    public String text(Installation installation, String tool, String arguments) {
        var answer = call(installation, tool, arguments);
        if (!answer.text("outcome").equals("success")) {
            throw new AssertionError("No success: " + answer);
        }
        return answer.text("result/content/0/text");
    }

    /** Asks with another method than tools/call, and waits for the result. */
    public Received ask(Installation installation, String method, @Nullable String toolPath) {
        return answer(
                request(
                        installation,
                        "",
                        "{}",
                        request -> request.put("method", method).put("tool_path", toolPath)));
    }

    /** Waits for a status of an instance. */
    public Received status(Installation installation, String status) {
        return records.await(
                Topic.STATUS,
                "status " + status + " of " + installation.processId(),
                received ->
                        received.key().equals(installation.processId())
                                && received.text("status").equals(status));
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(2));
    }
}
