package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.gateway.inbound.TenureLease;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of dead letters: the key, value and headers of a record that cannot be acted on, and the
 * reason. Where even dead-letters does not take the value, the letter goes without it. Thread-safe.
 */
public final class DeadLetters {
    private static final Set<String> OURS =
            Set.of(
                    Headers.REASON,
                    Headers.DETAIL,
                    Headers.ORIGIN,
                    Headers.REDRIVEN,
                    Headers.REDRIVEN_TO);
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

    private final FastPublisher publisher;
    private final TopicNames names;
    private final MeterProvider<Counter> letters;

    public DeadLetters(FastPublisher publisher, TopicNames names, MeterRegistry metrics) {
        this.publisher = publisher;
        this.names = names;
        this.letters =
                Counter.builder("perigee.gateway.dead.letters")
                        .description("Dead letters, by reason")
                        .withRegistry(metrics);
        for (var reason : DeadLetterReason.values()) {
            var _ = letters.withTag("reason", reason.code());
        }
    }

    /**
     * Writes a dead letter.
     *
     * @param lease of who had read the record
     * @param done runs when it is safe, on a thread of the producer
     */
    public void put(
            Rejected rejected,
            ConsumerRecord<byte[], byte[]> original,
            TenureLease lease,
            Runnable done) {
        LOG.atInfo()
                .addKeyValue("origin", rejected.origin().toString())
                .addKeyValue("reason", rejected.reason().code())
                .addKeyValue("detail", rejected.detail())
                .log("Record sent to dead letters");
        letters.withTag("reason", rejected.reason().code()).increment();
        publisher.publish(
                letter(rejected, original, true),
                new Delivery() {
                    @Override
                    public boolean isFenced() {
                        return !lease.isHeld();
                    }

                    @Override
                    public void delivered() {
                        done.run();
                    }

                    @Override
                    public void tooLarge() {
                        publisher.publish(
                                letter(rejected, original, false), new Whatever(lease, done));
                    }
                });
    }

    private ProducerRecord<byte[], byte[]> letter(
            Rejected rejected, ConsumerRecord<byte[], byte[]> original, boolean withValue) {
        var headers = new ArrayList<Header>(List.of(original.headers().toArray()));
        headers.removeIf(header -> OURS.contains(header.key()));
        headers.add(CloudEvents.header(Headers.REASON, rejected.reason().code()));
        headers.add(CloudEvents.header(Headers.DETAIL, rejected.detail()));
        headers.add(CloudEvents.header(Headers.ORIGIN, originOf(original)));
        return new ProducerRecord<>(
                names.of(Topic.DEAD_LETTERS),
                null,
                original.key(),
                withValue ? original.value() : null,
                headers);
    }

    private static String originOf(ConsumerRecord<byte[], byte[]> original) {
        return new RecordOrigin(original.topic(), original.partition(), original.offset())
                .toString();
    }

    /** The end, whichever it is. */
    private record Whatever(TenureLease lease, Runnable done) implements Delivery {
        @Override
        public boolean isFenced() {
            return !lease.isHeld();
        }

        @Override
        public void delivered() {
            done.run();
        }

        @Override
        public void tooLarge() {
            done.run();
        }
    }
}
