package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A write in the name of a tenure")
final class TransactionalPublisherTroubleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Membership membership = new Membership();
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final List<Coordinated> producers = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final BoundedProducer bounded = new BoundedProducer();
    private volatile @Nullable RuntimeException refusal;
    private volatile boolean isBounded;
    private final TransactionalPublisher publisher =
            new TransactionalPublisher(
                    this::producer,
                    "commands",
                    membership,
                    new TopicHealth(new TopicNames("")),
                    metrics);

    @BeforeEach
    void start() {
        publisher.start();
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    @DisplayName("of a tenure that is over is refused, and others are written")
    void tenureEnded() throws Exception {
        membership.update(member(1), Map.of(0, 2L));
        write("a", 1);
        write("b", 2);
        awaitHeard("b committed [0]");
        assertThat(heard).contains("a refused TENURE_ENDED");
        assertThat(publisher.backlog().held().records()).isZero();
    }

    @Test
    @DisplayName("is repeated while the coordinator does not know the member, until it does")
    void refusedByTheCoordinator() throws Exception {
        refusal = new CommitFailedException("the test says so");
        membership.update(member(1), Map.of(0, 1L));
        write("a", 1);
        await().atMost(PATIENCE).until(() -> refusals.get() > 1);
        assertThat(heard).isEmpty();
        assertThat(producers).as("the producer is as good as before").hasSize(1);

        refusal = new KafkaException(new RebalanceInProgressException("so does this"));
        int before = refusals.get();
        await().atMost(PATIENCE).until(() -> refusals.get() > before + 1);
        assertThat(producers).hasSize(1);
        refusal = null;

        awaitHeard("a committed");
    }

    @Test
    @DisplayName("is repeated with another producer where one is fenced, or of no use")
    void broken() throws Exception {
        refusal = new ProducerFencedException("the test says so");
        membership.update(member(1), Map.of(0, 1L));
        write("a", 1);
        await().atMost(PATIENCE).until(() -> producers.size() > 1);
        refusal = new KafkaException("so does this");
        int before = producers.size();
        await().atMost(PATIENCE).until(() -> producers.size() > before + 1);
        refusal = new IllegalStateException("and this");
        int then = producers.size();
        await().atMost(PATIENCE).until(() -> producers.size() > then + 1);
        refusal = null;

        awaitHeard("a committed [0]");
        assertThat(producers.getFirst().closed()).isTrue();
    }

    @Test
    @DisplayName("that is too large is refused, and those with it are written")
    void tooLarge() throws Exception {
        isBounded = true;
        bounded.mostBytes(10);
        membership.update(member(1), Map.of(0, 1L));
        submit("large".repeat(10), 1, 0, true);
        submit("small", 1, 0, false);
        await().atMost(PATIENCE).until(() -> heard.size() == 2);
        assertThat(heard)
                .anySatisfy(each -> assertThat(each).endsWith("refused TOO_LARGE"))
                .anySatisfy(each -> assertThat(each).startsWith("small committed"));
        assertThat(bounded.history()).hasSize(1);
    }

    @Test
    @DisplayName("carries the commands' offset, of several the highest")
    void offsets() throws Exception {
        membership.update(member(1), Map.of(0, 1L));
        submit("a", 1, 5, true);
        submit("b", 1, 3, false);
        awaitHeard("b committed");
        awaitHeard("a committed");
        var committed =
                producers.getFirst().consumerGroupOffsetsHistory().stream()
                        .flatMap(groups -> groups.values().stream())
                        .flatMap(offsets -> offsets.values().stream())
                        .mapToLong(OffsetAndMetadata::offset)
                        .max();
        assertThat(committed).hasValue(5);
    }

    @Test
    @DisplayName("is refused when the gateway ends")
    void closed() throws Exception {
        membership.update(member(1), Map.of(0, 1L));
        publisher.close();
        write("a", 1);
        assertThat(heard).containsExactly("a refused CLOSED");
    }

    private void awaitHeard(String what) {
        await().atMost(PATIENCE).until(() -> heard.stream().anyMatch(h -> h.startsWith(what)));
    }

    private void write(String what, long tenure) throws InterruptedException {
        submit(what, tenure, 0, false);
    }

    private void submit(String what, long tenure, long offset, boolean patient)
            throws InterruptedException {
        var value = what.getBytes(UTF_8);
        publisher.submit(
                new StateWrite(
                        new Tenure(0, tenure),
                        List.of(new ProducerRecord<>("state", 0, "key".getBytes(UTF_8), value)),
                        offset,
                        patient,
                        new StateWrite.Ending() {
                            @Override
                            public void committed(List<Long> offsets) {
                                heard.add(what + " committed " + offsets);
                            }

                            @Override
                            public void refused(StateWrite.Refusal why) {
                                heard.add(what + " refused " + why);
                            }
                        }));
    }

    private Producer<byte[], byte[]> producer() {
        if (isBounded) {
            return bounded;
        }
        var producer = new Coordinated();
        producers.add(producer);
        return producer;
    }

    @SuppressWarnings("removal") // Nothing else makes metadata without a group.
    private static ConsumerGroupMetadata member(int generation) {
        return new ConsumerGroupMetadata("group", generation, "member", Optional.empty());
    }

    /** A producer whose group's coordinator may refuse what it is told. */
    private final class Coordinated extends MockProducer<byte[], byte[]> {
        Coordinated() {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized void sendOffsetsToTransaction(
                Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
            var why = refusal;
            if (why != null) {
                refusals.incrementAndGet();
                throw why;
            }
            super.sendOffsetsToTransaction(offsets, group);
        }
    }
}
