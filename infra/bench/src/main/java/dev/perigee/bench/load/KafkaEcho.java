package dev.perigee.bench.load;

import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * A topic of requests, processes that answer each with a record, a topic of replies. Keys,
 * partitions, sizes, headers and client settings are those of the same call through a fleet.
 *
 * <p>{@link #bare} is the least that any gateway over Kafka costs: one process answers at once.
 * {@link #relayed} is the least of those that have workers with MCP servers.
 */
public final class KafkaEcho implements AutoCloseable {
    private final OpenEchoes open;
    private final RecordLoop replies;
    private final List<HelperJvm> helpers;

    private KafkaEcho(Place place, List<HelperJvm> helpers) {
        this.helpers = helpers;
        open = new OpenEchoes(place.bootstrap(), place.requests());
        replies =
                RecordLoop.start(
                        place.bootstrap(),
                        place.replies(),
                        reply -> {
                            var answer = open.ended(reply.key());
                            if (answer != null) {
                                answer.arrived();
                            }
                        });
    }

    /**
     * Where an echo is, and who starts it.
     *
     * @param topics what the names of its two topics begin with
     * @param partitions of both topics
     * @param flags of the JVMs that answer, on top of those of a fleet's parts
     */
    public record Place(
            String bootstrap, String topics, int partitions, ReplyShape shape, String flags) {
        String requests() {
            return topics + ".requests";
        }

        String replies() {
            return topics + ".replies";
        }

        private void createTopics() throws IOException, InterruptedException {
            try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
                admin.createTopics(
                                List.of(
                                        new NewTopic(requests(), partitions, (short) 1),
                                        new NewTopic(replies(), partitions, (short) 1)))
                        .all()
                        .get();
            } catch (ExecutionException e) {
                throw new IOException("The benchmark's topics could not be created", e);
            }
        }
    }

    /** Creates the topics, starts a {@link Replier} and connects. */
    public static KafkaEcho bare(Place place) throws IOException, InterruptedException {
        place.createTopics();
        var arguments = arguments(place);
        arguments.add(Integer.toString(EchoRequests.idOffset()));
        arguments.addAll(ReplyProducer.arguments(place.shape()));
        var replier = HelperJvm.start(Replier.class, place.flags(), arguments);
        return new KafkaEcho(place, List.of(replier));
    }

    /**
     * Creates the topics, starts a {@link RelayGateway} and a {@link RelayWorker} and connects.
     *
     * @param server command of the MCP server
     */
    public static KafkaEcho relayed(Place place, List<String> server)
            throws IOException, InterruptedException {
        place.createTopics();
        var command = new ArrayList<>(List.of(Integer.toString(EchoRequests.idOffset())));
        command.addAll(server);
        var worker = HelperJvm.start(RelayWorker.class, place.flags(), command);
        try {
            var arguments = arguments(place);
            arguments.add(worker.ready());
            arguments.addAll(ReplyProducer.arguments(place.shape()));
            var gateway = HelperJvm.start(RelayGateway.class, place.flags(), arguments);
            return new KafkaEcho(place, List.of(gateway, worker));
        } catch (IOException e) {
            worker.close();
            throw e;
        }
    }

    private static List<String> arguments(Place place) {
        return new ArrayList<>(List.of(place.bootstrap(), place.requests(), place.replies()));
    }

    /** Echoes of these users' requests, in turn, each with its user's key. */
    public EchoPath path(List<RecordKey> users) {
        return open.path(users, "echo");
    }

    /** The processes that answer: the replier, or the relay's gateway and worker. */
    public List<Long> pids() {
        return helpers.stream().map(HelperJvm::pid).toList();
    }

    @Override
    public void close() {
        open.close();
        replies.close();
        helpers.forEach(HelperJvm::close);
    }
}
