package dev.perigee.bench.load;

import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Calls through a running fleet, as a backend makes them: a producer and a consumer for all. */
public final class LoadFleetClient implements AutoCloseable {
    private static final String SUCCESS = "\"outcome\":\"success\"";

    private final OpenEchoes open;
    private final RecordLoop results;
    private volatile @Nullable ReplyShape shape;

    private LoadFleetClient(String bootstrap, TopicNames topics) {
        this.open = new OpenEchoes(bootstrap, topics.of(Topic.TOOL_REQUESTS));
        this.results = RecordLoop.start(bootstrap, topics.of(Topic.TOOL_RESULTS), this::result);
    }

    /** Connects, and returns when results that are produced from now on are seen. */
    public static LoadFleetClient connect(String bootstrap, TopicNames topics) {
        return new LoadFleetClient(bootstrap, topics);
    }

    /** Calls of these users, in turn, each to the server of this slug that is their own. */
    public EchoPath path(List<RecordKey> users, String serverSlug) {
        return open.path(users, serverSlug);
    }

    /**
     * The form of the last result.
     *
     * @throws IllegalStateException when there was none yet
     */
    public ReplyShape shape() {
        var last = shape;
        if (last == null) {
            throw new IllegalStateException("No result has come yet");
        }
        return last;
    }

    private void result(ConsumerRecord<byte[], byte[]> result) {
        var answer = open.ended(result.key());
        if (answer == null) {
            return;
        }
        if (shape == null) {
            shape = ReplyShape.of(result);
        }
        var value = new String(result.value(), StandardCharsets.ISO_8859_1);
        if (value.contains(SUCCESS)) {
            answer.arrived();
        } else {
            answer.failed(value);
        }
    }

    @Override
    public void close() {
        open.close();
        results.close();
    }
}
