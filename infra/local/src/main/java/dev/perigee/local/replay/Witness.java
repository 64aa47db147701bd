package dev.perigee.local.replay;

import dev.perigee.client.MissingTopicException;
import dev.perigee.client.TopicTail;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Reads what is to be compared from both clusters, when a run has sent everything. */
final class Witness {
    /** More than fits is not compared. */
    static final int MOST = 100_000;

    private static final Duration POLL = Duration.ofMillis(200);

    /** How far clocks may be apart. */
    static final Duration MARGIN = Duration.ofMinutes(10);

    private final Source source;
    private final Cluster target;
    private final Plan plan;
    private final boolean requests;
    private long left;

    Witness(Source source, Cluster target, Plan plan) {
        this.source = source;
        this.target = target;
        this.plan = plan;
        this.requests = plan.selection().requests() != IncludedRequests.NONE;
    }

    /**
     * Waits for staging's results and compares.
     *
     * @param wait how long results may take
     * @param open is told how many are still awaited
     */
    Comparison compare(Duration wait, LongConsumer open) {
        var copies = copies();
        var production = production(copies);
        var staging = staging(copies, wait, open);
        return Comparison.of(copies, production, staging, left);
    }

    /** Copies of this run that are in the target, and whose originals are from before a moment. */
    List<Sent> sentOfBefore(Instant moment) {
        return copies().stream().filter(copy -> copy.at().isBefore(moment)).toList();
    }

    private List<Sent> copies() {
        var copies = new ArrayList<Sent>();
        read(
                target,
                new TopicTail.Start.Since(plan.startedAt().minus(MARGIN)),
                topics(Topic.COMMANDS, Topic.TOOL_REQUESTS),
                record -> {
                    var sent = sent(record);
                    if (sent != null && copies.size() < MOST) {
                        copies.add(sent);
                    } else if (sent != null) {
                        left++;
                    }
                });
        return copies;
    }

    private List<Topic> topics(Topic commands, Topic requestTopic) {
        return requests ? List.of(commands, requestTopic) : List.of(commands);
    }

    private @Nullable Sent sent(ConsumerRecord<byte[], byte[]> record) {
        var headers = record.headers();
        var id = ReplayHeaders.text(headers, ReplayHeaders.ID);
        var of = ReplayHeaders.text(headers, ReplayHeaders.OF);
        var at = ReplayHeaders.text(headers, ReplayHeaders.AT);
        if (!plan.run().equals(ReplayHeaders.text(headers, ReplayHeaders.RUN))
                || id == null
                || of == null
                || at == null) {
            return null;
        }
        var key = new String(record.key(), StandardCharsets.UTF_8);
        var time = Instant.ofEpochMilli(Long.parseLong(at));
        if (record.topic().equals(target.topic(Topic.TOOL_REQUESTS))) {
            var request = Json.read(record.value(), ToolRequest.class);
            var what =
                    request.method() + " " + (request.toolPath() == null ? "" : request.toolPath());
            // A cancellation is answered by the answer to what it cancels.
            return request.method().equals("cancel")
                    ? null
                    : new Sent(what.strip(), key, request.requestId(), id, of, time, null);
        }
        var command = Json.read(record.value(), Command.class);
        var config = command.payload().config();
        return new Sent(
                RecordJudge.what(command),
                key,
                command.id(),
                id,
                of,
                time,
                config == null ? null : config.processId());
    }

    private Evidence production(List<Sent> copies) {
        var ids = new HashSet<String>();
        copies.forEach(copy -> ids.add(copy.originalId()));
        var until = plan.selection().until();
        var evidence = new Evidence(ids, until == null ? plan.startedAt() : until);
        var first = copies.stream().map(Sent::at).min(Instant::compareTo);
        if (first.isPresent()) {
            source.outcomes(evidence, first.get(), resultTopics());
        }
        return evidence;
    }

    private List<Topic> resultTopics() {
        return topics(Topic.COMMAND_RESULTS, Topic.TOOL_RESULTS);
    }

    static void result(Cluster cluster, ConsumerRecord<byte[], byte[]> record, Evidence evidence) {
        if (record.topic().equals(cluster.topic(Topic.TOOL_RESULTS))) {
            evidence.toolResult(record.value());
        } else {
            evidence.commandResult(record.value());
        }
    }

    private Evidence staging(List<Sent> copies, Duration wait, LongConsumer open) {
        var ids = new HashSet<String>();
        copies.forEach(copy -> ids.add(copy.id()));
        var evidence = new Evidence(ids, null);
        if (copies.isEmpty()) {
            return evidence;
        }
        long deadline = System.nanoTime() + wait.toNanos();
        var since = new TopicTail.Start.Since(plan.startedAt().minus(MARGIN));
        try (var results =
                        TopicTail.open(
                                target.connection(), since, resultTopics().toArray(Topic[]::new));
                var statuses =
                        TopicTail.open(
                                target.connection(),
                                new TopicTail.Start.Beginning(),
                                Topic.STATUS)) {
            do {
                results.poll(POLL).forEach(record -> result(target, record, evidence));
                statuses.poll(POLL).forEach(record -> status(record, evidence));
                open.accept(evidence.open());
            } while (isIncomplete(results, statuses)
                    || (isUnsettled(evidence, processes(copies, evidence))
                            && System.nanoTime() - deadline < 0));
        }
        return evidence;
    }

    private static boolean isIncomplete(TopicTail results, TopicTail statuses) {
        return !results.hasCaughtUp() || !statuses.hasCaughtUp();
    }

    private static boolean isUnsettled(Evidence evidence, Set<String> processes) {
        return evidence.open() > 0 || processes.stream().anyMatch(evidence::isMoving);
    }

    private static Set<String> processes(Collection<Sent> copies, Evidence evidence) {
        var processes = new HashSet<String>();
        for (var copy : copies) {
            var process =
                    copy.processId() != null
                            ? copy.processId()
                            : evidence.fate(copy.id()).processId();
            if (process != null) {
                processes.add(process);
            }
        }
        return processes;
    }

    static void readStatuses(Cluster cluster, Evidence evidence) {
        read(
                cluster,
                new TopicTail.Start.Beginning(),
                List.of(Topic.STATUS),
                record -> status(record, evidence));
    }

    private static void status(ConsumerRecord<byte[], byte[]> record, Evidence evidence) {
        evidence.status(
                new String(record.key(), StandardCharsets.UTF_8),
                record.value(),
                Instant.ofEpochMilli(record.timestamp()));
    }

    /** Everything from a point on that is there now; nothing, where the topic is not there. */
    static void read(
            Cluster cluster,
            TopicTail.Start start,
            List<Topic> topics,
            Consumer<ConsumerRecord<byte[], byte[]>> take) {
        try (var tail = TopicTail.open(cluster.connection(), start, topics.toArray(Topic[]::new))) {
            while (!tail.hasCaughtUp()) {
                tail.poll(POLL).forEach(take);
            }
        } catch (MissingTopicException e) {
            // Somebody's copy of a topic of commands, without the others: there is no record.
        }
    }
}
