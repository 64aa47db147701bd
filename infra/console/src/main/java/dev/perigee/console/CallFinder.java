package dev.perigee.console;

import dev.perigee.protocol.tool.CallTrace;
import dev.perigee.protocol.tool.CallTrace.Step;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * Finds a call in the topics by its request id or its trace: reads as far back as the history
 * reaches, some hundred thousand records and some seconds at most, one search at a time. Only what
 * is about the call is kept. Any thread.
 */
final class CallFinder {
    /** More records of one id are foreign. */
    static final int MOST_STEPS = 200;

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int MAX_BACK_OF_TOPIC = 200_000;
    private static final int MIN_BACK_OF_PARTITION = 1_000;

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final TopicNames names;
    private final Duration history;
    private final InstantSource clock;
    private final Semaphore searches = new Semaphore(1);

    /**
     * A finder.
     *
     * @param consumers makes consumers outside any group that read committed records only
     * @param history how far back
     */
    CallFinder(
            Supplier<Consumer<byte[], byte[]>> consumers,
            TopicNames names,
            Duration history,
            InstantSource clock) {
        this.consumers = consumers;
        this.names = names;
        this.history = history;
        this.clock = clock;
    }

    /**
     * What was found.
     *
     * @param since how far back was looked
     * @param complete whether all was looked at since then; if not, what was not found may be there
     * @param steps oldest first
     * @param problem why it could not be looked, null where it could
     */
    record Found(
            String id,
            Instant since,
            boolean complete,
            List<Step> steps,
            @Nullable String problem) {}

    /** Null while another search is under way. */
    @Nullable Found find(String id) {
        if (!searches.tryAcquire()) {
            return null;
        }
        var since = clock.instant().minus(history);
        try (var consumer = consumers.get()) {
            return new Search(new CallTrace(id), consumer).run(since);
        } catch (AuthorizationException e) {
            return new Found(
                    id,
                    since,
                    false,
                    List.of(),
                    "This gateway may not read the topics of calls: 'perigee acls console' lists"
                            + " the rights that it needs.");
        } catch (KafkaException e) {
            return new Found(id, since, false, List.of(), String.valueOf(e.getMessage()));
        } finally {
            searches.release();
        }
    }

    private final class Search {
        private final CallTrace trace;
        private final Consumer<byte[], byte[]> consumer;
        private final List<Step> steps = new ArrayList<>();
        private boolean complete = true;

        Search(CallTrace trace, Consumer<byte[], byte[]> consumer) {
            this.trace = trace;
            this.consumer = consumer;
        }

        Found run(Instant since) {
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            var ends = seek(since);
            while (!isOver(ends)) {
                if (System.nanoTime() - deadline > 0) {
                    complete = false;
                    break;
                }
                for (var record : consumer.poll(POLL)) {
                    if (System.nanoTime() - deadline > 0) {
                        complete = false;
                        break;
                    }
                    take(record);
                }
            }
            steps.sort(Comparator.comparing(Step::time));
            return new Found(trace.id(), since, complete, List.copyOf(steps), null);
        }

        private Map<TopicPartition, Long> seek(Instant since) {
            var starts = new HashMap<TopicPartition, Long>();
            var ends = new HashMap<TopicPartition, Long>();
            for (var topic : CallTrace.topics()) {
                var times = new HashMap<TopicPartition, Long>();
                partitionsOf(names.of(topic))
                        .forEach(
                                it ->
                                        times.put(
                                                new TopicPartition(it.topic(), it.partition()),
                                                since.toEpochMilli()));
                long most =
                        Math.max(
                                MIN_BACK_OF_PARTITION,
                                MAX_BACK_OF_TOPIC / Math.max(1, times.size()));
                var first = consumer.offsetsForTimes(times);
                consumer.endOffsets(times.keySet())
                        .forEach(
                                (partition, end) -> {
                                    var begin = first.get(partition);
                                    long wanted = begin == null ? end : begin.offset();
                                    complete &= end - wanted <= most;
                                    starts.put(partition, Math.max(wanted, end - most));
                                    ends.put(partition, end);
                                });
            }
            consumer.assign(starts.keySet());
            starts.forEach(consumer::seek);
            return ends;
        }

        private List<PartitionInfo> partitionsOf(String topic) {
            return Objects.requireNonNullElse(consumer.partitionsFor(topic), List.of());
        }

        private boolean isOver(Map<TopicPartition, Long> ends) {
            return ends.entrySet().stream()
                    .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
        }

        private void take(ConsumerRecord<byte[], byte[]> record) {
            var topic = names.topic(record.topic());
            if (topic == null) {
                return;
            }
            var step =
                    trace.step(
                            topic,
                            record.topic() + "-" + record.partition() + "@" + record.offset(),
                            Instant.ofEpochMilli(record.timestamp()),
                            record.value(),
                            name -> header(record, name));
            if (step == null) {
                return;
            }
            if (steps.size() == MOST_STEPS) {
                complete = false;
                return;
            }
            steps.add(
                    new Step(
                            Text.cut(step.requestId(), Text.NAME),
                            step.time(),
                            step.what(),
                            step.record(),
                            Text.cut(step.text(), Text.LINE)));
        }

        private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
            var header = record.headers().lastHeader(name);
            return header == null || header.value() == null
                    ? ""
                    : new String(header.value(), StandardCharsets.UTF_8);
        }
    }
}
