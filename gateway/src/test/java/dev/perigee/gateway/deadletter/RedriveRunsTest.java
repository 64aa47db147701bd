package dev.perigee.gateway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.deadletter.Drafter.Changes;
import dev.perigee.gateway.outbound.BoundedProducer;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class RedriveRunsTest {
    private static final TopicNames NAMES = new TopicNames("mcp.");
    private static final Drafter DRAFTER =
            new Drafter(
                    NAMES,
                    8,
                    new Changes(Edits.none(), null, null, List.of(), true),
                    InstantSource.fixed(Instant.EPOCH));

    private final BoundedProducer producer = new BoundedProducer();
    @AutoClose private final Redrive redrive = Redrive.begin(producer, NAMES);
    private final List<Redriven> told = new ArrayList<>();

    @Test
    void endsWhereNothingComes() {
        var silent =
                new LetterTopic.Tail() {
                    @Override
                    public List<ConsumerRecord<byte[], byte[]>> poll(Duration wait) {
                        return List.of();
                    }

                    @Override
                    public boolean hasCaughtUp() {
                        return false;
                    }

                    @Override
                    public void close() {}
                };

        assertThatThrownBy(
                        () ->
                                redrive.run(
                                        List.of(Letter.of(letter(17, 0))),
                                        box(silent),
                                        Duration.ofMillis(1),
                                        DRAFTER,
                                        told::add))
                .isInstanceOf(TimeoutException.class);
        assertThat(told).isEmpty();
    }

    @Test
    void countsTheHeadersOfABatch() throws Exception {
        var letters = List.of(letter(17, 4 << 20), letter(18, 4 << 20), letter(19, 4 << 20));

        redrive.run(
                letters.stream().map(Letter::of).toList(),
                box(new ListedTail(letters)),
                null,
                DRAFTER,
                told::add);

        assertThat(told).extracting(Redriven::outcome).containsOnly(Redriven.DONE).hasSize(3);
        assertThat(producer.commitCount()).isEqualTo(2);
    }

    private static LetterBox box(LetterTopic.Tail tail) {
        return new LetterBox(
                new LetterTopic() {
                    @Override
                    public Tail since(@Nullable Instant time) {
                        return tail;
                    }

                    @Override
                    public Tail at(Map<TopicPartition, Long> offsets) {
                        return tail;
                    }
                });
    }

    private static ConsumerRecord<byte[], byte[]> letter(long offset, int headerBytes) {
        var record = new ConsumerRecord<>("mcp.dead-letters", 3, offset, bytes("t/u"), bytes("{}"));
        record.headers()
                .add(Headers.REASON, bytes("invalid"))
                .add(Headers.ORIGIN, bytes("mcp.commands-1@" + offset))
                .add("theirs", new byte[headerBytes]);
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
