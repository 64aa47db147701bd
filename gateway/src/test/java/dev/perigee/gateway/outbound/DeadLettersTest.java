package dev.perigee.gateway.outbound;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.inbound.IdleFeed;
import dev.perigee.gateway.inbound.Inbound.Addressee;
import dev.perigee.gateway.inbound.Inbound.Rejected;
import dev.perigee.protocol.topic.DeadLetterReason;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordOrigin;
import dev.perigee.protocol.topic.TopicNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A dead letter")
final class DeadLettersTest {
    private static final TopicNames NAMES = new TopicNames("mcp.");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final BoundedProducer producer = new BoundedProducer();
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final FastPublisher publisher =
            new FastPublisher(() -> producer, new TopicHealth(NAMES), metrics);
    private final DeadLetters letters = new DeadLetters(publisher, NAMES, metrics);
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    @DisplayName("has what was in the record, and why nobody acts on it")
    void whole() {
        put();

        assertThat(done).hasValue(1);
        var letter = producer.history().getFirst();
        assertThat(letter.topic()).isEqualTo("mcp.dead-letters");
        assertThat(letter.key()).isEqualTo(bytes("t/u"));
        assertThat(letter.value()).isEqualTo(bytes("no json"));
        assertThat(letter.headers().toArray())
                .extracting(header -> header.key() + "=" + new String(header.value(), UTF_8))
                .containsExactly(
                        "theirs=1",
                        Headers.REASON + "=malformed",
                        Headers.DETAIL + "=not JSON",
                        Headers.ORIGIN + "=mcp.commands-2@7");
        assertThat(
                        metrics.get("perigee.gateway.dead.letters")
                                .tag("reason", "malformed")
                                .counter()
                                .count())
                .isEqualTo(1);
    }

    @Test
    @DisplayName("goes without the value where that is too large")
    void withoutValue() {
        producer.mostBytes(1);
        put();
        await().atMost(PATIENCE).until(() -> done.get() == 1);
        assertThat(producer.history())
                .singleElement()
                .satisfies(letter -> assertThat(letter.value()).isNull());
    }

    @Test
    @DisplayName("of a tenure that is over is not written: the next owner writes it")
    void ofThePast() {
        var feed = IdleFeed.over(2);
        letters.put(rejected(), record(), feed.lease(), done::incrementAndGet);
        assertThat(producer.history()).isEmpty();
        assertThat(done).hasValue(0);
    }

    private void put() {
        letters.put(rejected(), record(), IdleFeed.of(2).lease(), done::incrementAndGet);
    }

    private static Rejected rejected() {
        return new Rejected(
                new RecordOrigin("mcp.commands", 2, 7),
                DeadLetterReason.MALFORMED,
                "not JSON",
                new Addressee.Nobody(),
                null);
    }

    /** It claims to be a dead letter already, and the mark of another. */
    private static ConsumerRecord<byte[], byte[]> record() {
        var record = new ConsumerRecord<>("mcp.commands", 2, 7, bytes("t/u"), bytes("no json"));
        record.headers().add("theirs", bytes("1"));
        for (var ours :
                List.of(
                        Headers.REASON,
                        Headers.DETAIL,
                        Headers.ORIGIN,
                        Headers.REDRIVEN,
                        Headers.REDRIVEN_TO)) {
            record.headers().add(ours, bytes("forged"));
        }
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
