package dev.perigee.testing.fleet;

import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Creates the topics of a fleet under test: by the command for it, and the one for replies. */
final class FleetTopics {
    /** For a broker that has just started, beside workers that do: it is there for certain. */
    private static final List<String> PATIENCE =
            List.of("default.api.timeout.ms=60000", "request.timeout.ms=60000");

    private FleetTopics() {}

    /**
     * Creates what is missing.
     *
     * @param partitions how many process partitions there are
     * @param data a directory of the fleet's own
     */
    static void create(String bootstrap, TopicNames names, int partitions, Path data)
            throws IOException {
        var patience = Files.write(data.resolve("topics.properties"), PATIENCE);
        var ran =
                InProcessRun.here(
                        List.of(
                                "topics",
                                "--bootstrap",
                                bootstrap,
                                "--kafka-config",
                                patience.toString(),
                                "--partitions",
                                Integer.toString(partitions)));
        if (ran.exitCode() != 0) {
            throw new IOException("The topics were not created:\n" + ran.output());
        }
        try (var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap))) {
            var replies =
                    new NewTopic(
                            names.prefix() + Records.REPLIES, Optional.of(1), Optional.empty());
            admin.createTopics(List.of(replies)).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The topic for replies was not created", e);
        } catch (ExecutionException e) {
            throw new IOException("The topic for replies was not created", e);
        }
    }
}
