package dev.perigee.console;

import dev.perigee.gateway.deadletter.Drafter;
import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.gateway.deadletter.LetterBox;
import dev.perigee.gateway.deadletter.LetterFilter;
import dev.perigee.gateway.deadletter.LetterTopic;
import dev.perigee.gateway.deadletter.Redrive;
import dev.perigee.gateway.deadletter.Redriven;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters in Kafka, put back by the code of the command line under its transactional id. One
 * look at a time, each for some seconds at most. Any thread.
 */
final class KafkaLetters implements Letters {
    /** How many a page gets. */
    static final int MOST_SHOWN = 1_000;

    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final int MAX_BACK_OF_TOPIC = 20_000;
    private static final int MIN_BACK_OF_PARTITION = 100;
    private static final LetterFilter ANY = LetterFilter.at(Set.of());

    private final Supplier<org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private final TopicNames names;
    private final Drafter drafter;
    private final LetterBox box;
    private final Semaphore looks = new Semaphore(1);

    /**
     * The letters of a fleet.
     *
     * @param consumers makes consumers outside any group that read committed records only
     * @param producers makes producers for {@link Redrive}
     * @param drafter by the rules of this gateway, without changes
     */
    KafkaLetters(
            Supplier<org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers,
            Supplier<Producer<byte[], byte[]>> producers,
            TopicNames names,
            Drafter drafter) {
        this.consumers = consumers;
        this.producers = producers;
        this.names = names;
        this.drafter = drafter;
        this.box =
                new LetterBox(
                        new LetterTopic() {
                            @Override
                            public Tail since(@Nullable Instant time) {
                                throw new UnsupportedOperationException("looks by place only");
                            }

                            @Override
                            public Tail at(Map<TopicPartition, Long> offsets) {
                                var tail = new Opened(consumers.get());
                                tail.begin(offsets);
                                return tail;
                            }
                        });
    }

    @Override
    public Newest newest() throws ActionRefusedException, InterruptedException {
        return looking(
                () -> {
                    try (var tail = new Opened(consumers.get())) {
                        boolean all = tail.beginNearEnd(names.of(Topic.DEAD_LETTERS));
                        var look = LetterBox.look(tail, ANY, LOOK);
                        var letters = look.letters().reversed();
                        return new Newest(
                                letters.stream().limit(MOST_SHOWN).map(ShownLetter::of).toList(),
                                all && look.complete() && letters.size() <= MOST_SHOWN);
                    }
                });
    }

    @Override
    public List<Letter> at(Collection<String> places)
            throws ActionRefusedException, InterruptedException {
        return looking(() -> read(places));
    }

    private List<Letter> read(Collection<String> places) throws ActionRefusedException {
        var topic = names.of(Topic.DEAD_LETTERS);
        var positions =
                places.stream().map(place -> RecordOrigin.parse(topic + "-" + place)).toList();
        var look = box.at(positions, LOOK);
        if (!look.complete()) {
            throw new ActionRefusedException(
                    HttpStatus.SERVICE_UNAVAILABLE_503,
                    "So many records are behind these on %s that %d s did not do to see which were put back before: 'perigee redrive' looks as long as it takes."
                            .formatted(topic, LOOK.toSeconds()));
        }
        return look.letters();
    }

    @Override
    public void redrive(Collection<String> places, Consumer<Redriven> listener)
            throws ActionRefusedException, InterruptedException {
        try (var redrive = Redrive.begin(producers.get(), names)) {
            var byMark =
                    read(places).stream()
                            .collect(
                                    Collectors.partitioningBy(
                                            letter -> letter.redrivenTo() == null));
            for (var letter : byMark.getOrDefault(false, List.of())) {
                var why = "it was put back before, to " + letter.redrivenTo();
                listener.accept(new Redriven(letter, Redriven.REFUSED, null, why));
            }
            redrive.run(byMark.getOrDefault(true, List.of()), box, LOOK, drafter, listener);
        } catch (Redrive.TakenOverException e) {
            throw new ActionRefusedException(
                    HttpStatus.CONFLICT_409, String.valueOf(e.getMessage()));
        } catch (AuthorizationException e) {
            throw ActionTopics.unavailable(
                    "This gateway has no right to put dead letters back: 'perigee acls"
                            + " console-redrive' lists those that it needs.");
        } catch (InterruptException e) {
            throw ActionTopics.interrupted(e);
        } catch (KafkaException e) {
            throw ActionTopics.unavailable(ActionTopics.why("Nothing more is put back", e));
        }
    }

    private interface Reading<T> {
        T read() throws ActionRefusedException;
    }

    private <T> T looking(Reading<T> reading) throws ActionRefusedException, InterruptedException {
        if (!looks.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new ActionRefusedException(
                    HttpStatus.SERVICE_UNAVAILABLE_503,
                    "Somebody else reads the dead letters: try again in some seconds.");
        }
        try {
            return reading.read();
        } catch (InterruptException e) {
            throw ActionTopics.interrupted(e);
        } catch (KafkaException e) {
            throw ActionTopics.unavailable(
                    ActionTopics.why(names.of(Topic.DEAD_LETTERS) + " cannot be read", e));
        } finally {
            looks.release();
        }
    }

    /** Consumer of dead-letters; closed with what it reads. */
    private record Opened(
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> ends)
            implements LetterTopic.Tail {
        Opened(org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer) {
            this(consumer, new HashMap<>());
        }

        /** Whether nothing older was left out. */
        boolean beginNearEnd(String topic) {
            var infos = consumer.partitionsFor(topic, ANSWER);
            if (infos == null || infos.isEmpty()) {
                throw new UnknownTopicOrPartitionException("it does not exist");
            }
            var all =
                    infos.stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            long most = Math.max(MIN_BACK_OF_PARTITION, MAX_BACK_OF_TOPIC / all.size());
            var begins = consumer.beginningOffsets(all, ANSWER);
            var starts = new HashMap<TopicPartition, Long>();
            consumer.endOffsets(all, ANSWER)
                    .forEach(
                            (partition, end) ->
                                    starts.put(
                                            partition,
                                            Math.max(
                                                    begins.getOrDefault(partition, 0L),
                                                    end - most)));
            begin(starts);
            return starts.equals(begins);
        }

        /** Partitions that the topic does not have are not read. */
        void begin(Map<TopicPartition, Long> offsets) {
            boolean begun = false;
            try {
                var known = new ArrayList<TopicPartition>();
                for (var topic :
                        offsets.keySet().stream().map(TopicPartition::topic).distinct().toList()) {
                    var infos = consumer.partitionsFor(topic, ANSWER);
                    if (infos != null) {
                        infos.forEach(
                                info -> known.add(new TopicPartition(topic, info.partition())));
                    }
                }
                known.retainAll(offsets.keySet());
                consumer.assign(known);
                ends.putAll(consumer.endOffsets(known, ANSWER));
                known.forEach(
                        partition -> consumer.seek(partition, offsets.getOrDefault(partition, 0L)));
                begun = true;
            } finally {
                if (!begun) {
                    close();
                }
            }
        }

        @Override
        public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            consumer.poll(wait).forEach(records::add);
            return records;
        }

        @Override
        public boolean hasCaughtUp() {
            return ends.entrySet().stream()
                    .allMatch(end -> consumer.position(end.getKey(), ANSWER) >= end.getValue());
        }

        @Override
        public void close() {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }
}
