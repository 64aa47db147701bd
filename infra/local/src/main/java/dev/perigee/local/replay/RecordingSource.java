package dev.perigee.local.replay;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A recording, read to its end once before anything is sent, so that it is known to be whole. Holds
 * the tools of its servers and two offsets for each partition.
 */
final class RecordingSource implements Source {
    /** Of a file that is none of ours; more than any cluster has. */
    private static final int MOST_PARTITIONS = 100_000;

    private final Path file;
    private final RecordingHeader header;
    private final String sha256;
    private final Map<String, Long> skipped;
    private final String cluster;
    private final TopicNames names;
    private final KnownTools tools = new KnownTools();
    private final Map<String, Long> from = new HashMap<>();
    private final Map<String, Long> to = new HashMap<>();
    private @Nullable Instant lastAt;

    private RecordingSource(Path file) {
        this.file = file;
        try (var reader = new RecordingReader(file)) {
            header = reader.header();
            int slash = header.source().indexOf('/');
            var prefix = slash < 0 ? "" : header.source().substring(slash + 1);
            cluster = slash < 0 ? header.source() : header.source().substring(0, slash);
            names =
                    new TopicNames(
                            TopicNames.isPrefix(prefix) ? prefix : TopicNames.DEFAULT_PREFIX);
            for (var record = reader.next(); record != null; record = reader.next()) {
                look(record);
            }
            sha256 = reader.sha256();
            skipped = reader.unknown();
        }
    }

    /**
     * Reads it.
     *
     * @throws RecordingException when it is none or not whole
     */
    static RecordingSource read(Path file) {
        var source = new RecordingSource(file);
        int partitions = source.partitions();
        if (partitions < 1
                || partitions > MOST_PARTITIONS
                || source.to.size() > 2 * MOST_PARTITIONS) {
            throw new RecordingException(
                    file + " says that its fleet had " + partitions + " partitions: make it again");
        }
        return source;
    }

    /** What of it this version does not know, in sentences. */
    List<String> remarks() {
        var remarks = new ArrayList<String>();
        if (header.version() != RecordingHeader.VERSION) {
            remarks.add(
                    file
                            + " has version "
                            + header.version()
                            + " of the format, this is for "
                            + RecordingHeader.VERSION
                            + ": what it does not know is left out");
        }
        skipped.forEach((what, count) -> remarks.add("Skipped " + count + " x " + what));
        return remarks;
    }

    private void look(RecordedRecord record) {
        if (record.topic() == Topic.TOOLS) {
            learn(record);
        } else if (isSent(record.topic()) && to.size() <= 2 * MOST_PARTITIONS) {
            var partition = partition(record);
            from.putIfAbsent(partition, record.offset());
            to.put(partition, record.offset() + 1);
            var at = Instant.ofEpochMilli(Math.max(0, record.at()));
            lastAt = lastAt == null || at.isAfter(lastAt) ? at : lastAt;
        }
    }

    private void learn(RecordedRecord record) {
        try {
            var value = bytes(record);
            tools.learn(
                    Objects.requireNonNullElse(record.key(), ""),
                    value == null ? null : Event.read(value));
        } catch (InvalidRecordException e) {
            // Not one that makes a tool known.
        }
    }

    static boolean isSent(Topic topic) {
        return topic == Topic.COMMANDS || topic == Topic.TOOL_REQUESTS;
    }

    /** Named as in the cluster that it was recorded from. */
    String partition(RecordedRecord record) {
        return topic(record.topic()) + "-" + record.partition();
    }

    /** The value as Kafka had it, but for masks; null of a tombstone. */
    static byte @Nullable [] bytes(RecordedRecord record) {
        var value = record.value();
        return value == null ? null : RecordingJson.MAPPER.writeValueAsBytes(value);
    }

    @Override
    public String cluster() {
        return cluster;
    }

    @Override
    public String name() {
        return header.source() + " recording " + sha256;
    }

    @Override
    public TopicNames names() {
        return names;
    }

    @Override
    public int partitions() {
        return header.partitions();
    }

    @Override
    public @Nullable Instant begin() {
        return header.since();
    }

    @Override
    public void requireOther(Cluster target) {
        if (target.name().equals(header.source())) {
            throw ReplayException.usage(
                    "--to is the fleet that "
                            + file
                            + " was recorded from: name a staging cluster, or another prefix by"
                            + " --to-prefix");
        }
    }

    @Override
    public SelectedOffsets.Range range(Selection selection) {
        for (int partition : selection.partitions()) {
            if (partition >= partitions()) {
                throw ReplayException.usage(
                        "--partitions "
                                + partition
                                + ": the recorded fleet had partitions 0 to "
                                + (partitions() - 1));
            }
        }
        var first = new HashMap<String, Long>();
        var last = new HashMap<String, Long>();
        if (selection.since() == null && selection.until() == null) {
            first.putAll(from);
            last.putAll(to);
        } else {
            narrow(selection, first, last);
        }
        last.keySet().removeIf(partition -> !isWanted(partition, selection));
        first.keySet().retainAll(last.keySet());
        var until = Objects.requireNonNullElse(selection.until(), Instant.MAX);
        return new SelectedOffsets.Range(
                first, last, lastAt == null || lastAt.isBefore(until) ? lastAt : until);
    }

    /** As a broker finds offsets by times: the first record that is not before. */
    private void narrow(Selection selection, Map<String, Long> first, Map<String, Long> last) {
        var since = selection.since();
        var until = selection.until();
        each(
                record -> {
                    if (!isSent(record.topic())) {
                        return;
                    }
                    var partition = partition(record);
                    if (since == null || record.at() >= since.toEpochMilli()) {
                        first.putIfAbsent(partition, record.offset());
                    }
                    if (until != null && record.at() >= until.toEpochMilli()) {
                        last.putIfAbsent(partition, record.offset());
                    }
                });
        to.forEach(
                (partition, end) -> {
                    first.putIfAbsent(partition, end);
                    last.putIfAbsent(partition, end);
                });
    }

    private boolean isWanted(String partition, Selection selection) {
        int dash = partition.lastIndexOf('-');
        return selection.hasPartition(Integer.parseInt(partition.substring(dash + 1)))
                && (selection.requests() != IncludedRequests.NONE
                        || partition.substring(0, dash).equals(topic(Topic.COMMANDS)));
    }

    @Override
    public RecordFeed open(Plan plan, ToLongFunction<String> next) {
        return new RecordingFeed(this, new RecordingReader(file), plan.to(), next);
    }

    @Override
    public KnownTools tools() {
        return tools;
    }

    @Override
    public void outcomes(Evidence evidence, Instant since, List<Topic> topics) {
        each(
                record -> {
                    if (record.topic() == Topic.STATUS) {
                        evidence.status(
                                Objects.requireNonNullElse(record.key(), ""),
                                bytes(record),
                                Instant.ofEpochMilli(record.at()));
                    } else if (topics.contains(record.topic())) {
                        outcome(record, evidence);
                    }
                });
    }

    private static void outcome(RecordedRecord record, Evidence evidence) {
        if (record.topic() == Topic.TOOL_RESULTS) {
            evidence.toolResult(bytes(record));
        } else {
            evidence.commandResult(bytes(record));
        }
    }

    private void each(Consumer<RecordedRecord> take) {
        try (var reader = new RecordingReader(file)) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                take.accept(record);
            }
        }
    }
}
