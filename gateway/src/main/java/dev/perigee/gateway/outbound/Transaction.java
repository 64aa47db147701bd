package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.GroupView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * One transactional producer, with one attempt after another on it. For one thread. After {@link
 * Broken} it must be closed and replaced.
 */
final class Transaction implements AutoCloseable {
    /** Result of an attempt. */
    sealed interface Result {}

    /** Durable; per write, the offsets of its records. */
    record Committed(List<List<Long>> offsets) implements Result {}

    /** Nothing was written; this write never can be. */
    record TooLarge(StateWrite write) implements Result {}

    /** Nothing was written: the coordinator does not know this member in this generation. */
    record NotMember() implements Result {}

    /** Outcome unknown or nothing written; this producer must be replaced. */
    record Broken(Exception cause) implements Result {}

    private static final Duration LOOK = Duration.ofMillis(100);

    private final Producer<byte[], byte[]> producer;
    private final String commandsTopic;
    private final TopicHealth health;
    private final @Nullable String member;
    private boolean ready;

    Transaction(
            Producer<byte[], byte[]> producer,
            String commandsTopic,
            TopicHealth health,
            GroupView view) {
        this.producer = producer;
        this.commandsTopic = commandsTopic;
        this.health = health;
        this.member = memberOf(view);
    }

    /** True when it was made for the member of the group that the gateway is in this view. */
    boolean isOf(GroupView view) {
        return Objects.equals(member, memberOf(view));
    }

    private static @Nullable String memberOf(GroupView view) {
        var metadata = view.metadata();
        return metadata == null ? null : metadata.memberId();
    }

    Result attempt(List<StateWrite> batch, GroupView view) {
        var metadata = view.metadata();
        if (metadata == null) {
            return new NotMember();
        }
        var sent = new ArrayList<List<Future<RecordMetadata>>>();
        try {
            if (!ready) {
                producer.initTransactions();
                ready = true;
            }
            producer.beginTransaction();
            for (var write : batch) {
                var futures = new ArrayList<Future<RecordMetadata>>();
                sent.add(futures);
                write.records().forEach(record -> futures.add(producer.send(record)));
            }
            producer.sendOffsetsToTransaction(offsets(batch), metadata);
            awaitSent(batch, sent);
            producer.commitTransaction();
            return new Committed(offsetsOf(sent));
        } catch (ProducerFencedException e) {
            return new Broken(e);
        } catch (CommitFailedException | RebalanceInProgressException e) {
            return abort(new NotMember());
        } catch (KafkaException e) {
            int tooLarge = indexOfTooLarge(sent);
            if (tooLarge >= 0) {
                return abort(new TooLarge(batch.get(tooLarge)));
            }
            return isNotMember(e) ? abort(new NotMember()) : new Broken(e);
        } catch (IllegalStateException e) {
            return new Broken(e);
        }
    }

    /** The producer would wait longer for a topic of which it is known that it takes nothing. */
    private void awaitSent(List<StateWrite> batch, List<List<Future<RecordMetadata>>> sent) {
        for (int i = 0; i < sent.size(); i++) {
            for (int j = 0; j < sent.get(i).size(); j++) {
                awaitSent(batch.get(i).records().get(j).topic(), sent.get(i).get(j));
            }
        }
    }

    private void awaitSent(String topic, Future<RecordMetadata> future) {
        while (!future.isDone()) {
            if (health.isBlocked(topic)) {
                throw new KafkaException("The topic " + topic + " takes nothing");
            }
            try {
                var _ = future.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // Looks again.
            } catch (ExecutionException e) {
                return; // The commit says it, too.
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }

    private Result abort(Result why) {
        try {
            producer.abortTransaction();
            return why;
        } catch (KafkaException | IllegalStateException e) {
            return new Broken(e);
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(List<StateWrite> batch) {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (var write : batch) {
            offsets.merge(
                    new TopicPartition(commandsTopic, write.tenure().partition()),
                    new OffsetAndMetadata(write.commandsOffset()),
                    (one, other) -> one.offset() >= other.offset() ? one : other);
        }
        return offsets;
    }

    private static boolean isNotMember(KafkaException failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CommitFailedException
                    || cause instanceof RebalanceInProgressException) {
                return true;
            }
        }
        return false;
    }

    private static int indexOfTooLarge(List<List<Future<RecordMetadata>>> sent) {
        for (int i = 0; i < sent.size(); i++) {
            if (sent.get(i).stream().anyMatch(Transaction::failedAsTooLarge)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean failedAsTooLarge(Future<RecordMetadata> future) {
        return future.state() == Future.State.FAILED
                && future.exceptionNow() instanceof RecordTooLargeException;
    }

    private static List<List<Long>> offsetsOf(List<List<Future<RecordMetadata>>> sent) {
        var offsets = new ArrayList<List<Long>>();
        for (var futures : sent) {
            var ofWrite = new ArrayList<Long>();
            for (var future : futures) {
                ofWrite.add(offset(future));
            }
            offsets.add(ofWrite);
        }
        return offsets;
    }

    private static long offset(Future<RecordMetadata> committed) {
        try {
            return committed.get().offset();
        } catch (InterruptedException | ExecutionException e) {
            throw new KafkaException("a committed record has no offset", e);
        }
    }
}
