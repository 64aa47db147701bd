package dev.perigee.gateway.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Membership;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class TransactionalPublisherTest {
    private final Membership membership = new Membership();
    private final List<MockProducer<byte[], byte[]>> producers = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> endings = new LinkedBlockingQueue<>();

    /**
     * Of a member that was thrown out the connections may be dead, and waiting for them is long.
     */
    @Test
    void hasAProducerOfItsOwnForEachMemberThatTheGatewayIs() throws Exception {
        try (var publisher =
                new TransactionalPublisher(
                        this::producer,
                        "commands",
                        membership,
                        new TopicHealth(new TopicNames("")),
                        new SimpleMeterRegistry())) {
            publisher.start();
            member("first", 1);
            write(publisher);
            member("first", 2);
            write(publisher);
            assertThat(producers).hasSize(1);

            member("second", 3);
            write(publisher);
            assertThat(producers).hasSize(2);
            assertThat(producers.getFirst().closed()).isTrue();
        }
    }

    @SuppressWarnings("removal") // Nothing else makes metadata without a group.
    private void member(String id, int generation) {
        var metadata = new ConsumerGroupMetadata("group", generation, id, Optional.empty());
        membership.update(metadata, Map.of(0, 1L));
    }

    private void write(TransactionalPublisher publisher) throws InterruptedException {
        var record = new ProducerRecord<>("state", 0, new byte[1], new byte[1]);
        publisher.submit(
                new StateWrite(
                        new Tenure(0, 1),
                        List.of(record),
                        0,
                        new StateWrite.Ending() {
                            @Override
                            public void committed(List<Long> offsets) {
                                endings.add("committed");
                            }

                            @Override
                            public void refused(StateWrite.Refusal refusal) {
                                endings.add(refusal.name());
                            }
                        }));
        assertThat(endings.poll(20, TimeUnit.SECONDS)).isEqualTo("committed");
    }

    private Producer<byte[], byte[]> producer() {
        var producer =
                new MockProducer<byte[], byte[]>(
                        true, null, new ByteArraySerializer(), new ByteArraySerializer());
        producers.add(producer);
        return producer;
    }
}
