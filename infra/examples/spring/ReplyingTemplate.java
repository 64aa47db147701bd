import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/** Calls a tool with Spring's ReplyingKafkaTemplate, which finds the answer by its correlation id. */
public final class ReplyingTemplate {
    /** A topic of the backend's own; it exists and matches replies.allowed-topics. */
    private static final String REPLIES = "mcp.replies";

    private ReplyingTemplate() {}

    public static void main(String[] arguments) throws Exception {
        var bootstrap = arguments.length > 0 ? arguments[0] : "127.0.0.1:9092";
        install(bootstrap, arguments);

        var producers =
                new DefaultKafkaProducerFactory<String, String>(
                        Map.of(
                                "bootstrap.servers", bootstrap,
                                "linger.ms", 0,
                                "max.in.flight.requests.per.connection", 1),
                        new StringSerializer(),
                        new StringSerializer());
        var consumers =
                new DefaultKafkaConsumerFactory<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrap,
                                "group.id",
                                "example-" + UUID.randomUUID()),
                        new StringDeserializer(),
                        new StringDeserializer());
        var replies =
                new KafkaMessageListenerContainer<String, String>(
                        consumers, new ContainerProperties(REPLIES));
        var template = new ReplyingKafkaTemplate<String, String, String>(producers, replies);
        // Several instances of a backend share the topic: each passes over the others' answers.
        template.setSharedReplyTopic(true);
        template.start();
        try {
            if (!template.waitForAssignment(Duration.ofSeconds(30))) {
                throw new IllegalStateException("No partition of " + REPLIES + ": does it exist?");
            }
            var request =
                    """
                    {"request_id":"%s","team_id":"examples","user_id":"spring","method":"tools/call",
                     "tool_path":"everything:echo","arguments":{"message":"Hello from Spring"},
                     "timeout_ms":30000}"""
                            .formatted(UUID.randomUUID());
            var record =
                    new ProducerRecord<>("mcp.tool-requests", "examples/spring", request);
            var answer =
                    template.sendAndReceive(record, Duration.ofSeconds(40))
                            .get(45, TimeUnit.SECONDS);
            System.out.println(answer.value());
        } finally {
            template.stop();
            template.destroy(); // Its scheduler has a thread that would keep the program alive.
            producers.destroy();
        }
    }

    private static void install(String bootstrap, String[] arguments) throws Exception {
        var server =
                arguments.length > 1
                        ? Arrays.asList(arguments).subList(1, arguments.length)
                        : List.of("npx", "-y", "@modelcontextprotocol/server-everything");
        var config =
                new ServerConfigBuilder(
                                "example-spring",
                                "everything",
                                new Owner("examples", "examples", "spring", "spring"),
                                TransportType.STDIO,
                                server.getFirst(),
                                server.subList(1, server.size()))
                        .build();
        var now = Instant.now();
        var command =
                new Command(
                        UUID.randomUUID().toString(),
                        CommandType.CONFIGURE,
                        null,
                        null,
                        now,
                        now.plusSeconds(120),
                        CommandPayload.install(config));
        var kafka =
                new KafkaConnection(
                        bootstrap, new TopicNames(TopicNames.DEFAULT_PREFIX), Map.of());
        try (var client = PerigeeClient.connect(kafka)) {
            System.out.println(client.command(command, Duration.ofSeconds(120)).outcome());
        }
    }
}
