package dev.perigee.bench;

import dev.perigee.local.client.CommandRun;
import dev.perigee.local.client.CommandRun.Addressed;
import dev.perigee.local.client.KafkaConnection;
import dev.perigee.local.sample.SampleServer;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.ServerSettings;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The echo server that is measured, installed in a running fleet, and the three ways to it. */
final class Subject {
    private static final RecordKey USER = new RecordKey("bench", "user");
    private static final String SLUG = "sample";
    private static final String REQUESTS = "bench.requests";
    private static final String REPLIES = "bench.replies";
    private static final Duration INSTALL = Duration.ofSeconds(60);

    private final String bootstrap;
    private final TopicNames topics;

    private Subject(String bootstrap, TopicNames topics) {
        this.bootstrap = bootstrap;
        this.topics = topics;
    }

    /** Creates the topics of the bare path and brings the server online in the fleet. */
    static Subject install(String bootstrap, TopicNames topics)
            throws IOException, InterruptedException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(REQUESTS, 1, (short) 1),
                                    new NewTopic(REPLIES, 1, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IOException("The benchmark's topics could not be created", e);
        }
        var command =
                new Command(
                        "bench-install",
                        CommandType.CONFIGURE,
                        null,
                        null,
                        null,
                        null,
                        CommandPayload.install(config()));
        var run =
                new CommandRun(
                        new KafkaConnection(bootstrap, topics, Map.of()), _ -> true, quiet());
        var result = run.run(List.of(new Addressed(USER, command)), INSTALL).get(command.id());
        if (result == null
                || result.result() == null
                || result.result().resultingStatus() != ServerStatus.ONLINE) {
            throw new IOException("The echo server did not come online in the fleet: " + result);
        }
        return new Subject(bootstrap, topics);
    }

    EchoPath pipe() throws IOException, InterruptedException {
        return PipeEcho.start(command());
    }

    EchoPath kafka() {
        return new KafkaEcho(bootstrap, REQUESTS, REPLIES);
    }

    EchoPath fleet() {
        return new FleetEcho(bootstrap, topics, USER, SLUG);
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                SampleServer.class.getName());
    }

    /** Request logs are off: nothing of the kind is on the bare paths. */
    private static ServerConfig config() {
        var command = command();
        return new ServerConfigBuilder(
                        "bench",
                        SLUG,
                        new Owner(USER.teamId(), USER.teamId(), "user", "user"),
                        TransportType.STDIO,
                        command.getFirst(),
                        command.subList(1, command.size()))
                .settings(new ServerSettings(false))
                .build();
    }

    private static CommandRun.Listener quiet() {
        return new CommandRun.Listener() {
            @Override
            public void status(Event status) {}

            @Override
            public void result(CommandResult result) {}
        };
    }
}
