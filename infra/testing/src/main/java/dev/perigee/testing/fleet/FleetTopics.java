package dev.perigee.testing.fleet;

import dev.perigee.protocol.topic.TopicNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Creates the topics of a fleet under test: by the command for it, and the one for replies. */
final class FleetTopics {

    private FleetTopics() {}

    /**
     * Creates what is missing.
     *
     * @param partitions how many process partitions there are
     */
    static void create(String bootstrap, TopicNames names, int partitions) throws IOException {
        var ran =
                Ran.here(
                        List.of(
                                "topics",
                                "--bootstrap",
                                bootstrap,
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
