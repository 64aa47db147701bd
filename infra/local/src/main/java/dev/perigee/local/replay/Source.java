package dev.perigee.local.replay;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Source of a replay: a cluster, or a recording of one. Only read. Partitions are named {@code
 * topic-partition}, by the topics of the cluster that has or had them. For one thread.
 */
sealed interface Source permits ClusterSource, RecordingSource {
    /** Id of the cluster that has or had the records: {@link ReplayHeaders#OF} begins with it. */
    String cluster();

    /** Identity, by which a run knows its source again. */
    String name();

    TopicNames names();

    /** How many process partitions there are. */
    int partitions();

    /**
     * Begin of the span: records before it only say what was true when it began, and keep no
     * distance in time. Null when all keep theirs.
     */
    @Nullable Instant begin();

    /**
     * Returns when the target is another fleet.
     *
     * @throws ReplayException when it is the one that the records are from
     */
    void requireOther(Cluster target);

    /** The part that a selection means. */
    SelectedOffsets.Range range(Selection selection) throws InterruptedException;

    /**
     * Opens the planned part.
     *
     * @param next where each partition begins
     */
    RecordFeed open(Plan plan, ToLongFunction<String> next);

    /** The tools that servers announced last. */
    KnownTools tools();

    /**
     * What became of commands and requests, and the statuses.
     *
     * @param since when the first of them was appended
     * @param topics of results
     */
    void outcomes(Evidence evidence, Instant since, List<Topic> topics);

    default String topic(Topic topic) {
        return names().of(topic);
    }
}
