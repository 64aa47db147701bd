import dev.perigee.client.KafkaConnection;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Installs a server and calls its tool, with Perigee's own client. */
public final class CallATool {
    private CallATool() {}

    public static void main(String[] arguments) throws Exception {
        var bootstrap = arguments.length > 0 ? arguments[0] : "127.0.0.1:9092";
        var server =
                arguments.length > 1
                        ? Arrays.asList(arguments).subList(1, arguments.length)
                        : List.of("npx", "-y", "@modelcontextprotocol/server-everything");
        var kafka =
                new KafkaConnection(
                        bootstrap, new TopicNames(TopicNames.DEFAULT_PREFIX), Map.of());
        try (var client = PerigeeClient.connect(kafka)) {
            install(client, server);
            var request =
                    ToolRequest.call(
                            UUID.randomUUID().toString(),
                            "examples",
                            "java",
                            "everything:echo",
                            RawJson.of("{\"message\":\"Hello from Java\"}"),
                            30_000L);
            var answer = client.call(request, Duration.ofSeconds(40));
            var result = answer.result();
            System.out.println(answer.outcome() + " " + (result == null ? "" : result.text()));
        }
    }

    /** The result comes when the server is online, or when it has failed to be. */
    private static void install(PerigeeClient client, List<String> server) throws Exception {
        var config =
                new ServerConfigBuilder(
                                "example-java",
                                "everything",
                                new Owner("examples", "examples", "java", "java"),
                                TransportType.STDIO,
                                server.getFirst(),
                                server.subList(1, server.size()))
                        .build();
        var now = Instant.now();
        var command =
                new Command(
                        UUID.randomUUID().toString(),
                        CommandType.CONFIGURE,
                        "immediate",
                        null,
                        now,
                        now.plusSeconds(120),
                        CommandPayload.install(config));
        var details = client.command(command, Duration.ofSeconds(120)).result();
        if (details == null || details.resultingStatus() != ServerStatus.ONLINE) {
            throw new IllegalStateException("The server is not online: " + details);
        }
    }
}
