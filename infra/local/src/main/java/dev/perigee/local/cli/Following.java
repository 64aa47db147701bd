package dev.perigee.local.cli;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.TopicTail;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Shows what comes until the user interrupts it, and says when the broker goes and comes back. */
final class Following {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int QUIET_POLLS = 10;

    private final TopicTail tail;
    private final Consumer<ConsumerRecord<byte[], byte[]>> show;
    private final Consumer<String> warn;
    private boolean away;

    Following(
            TopicTail tail, Consumer<ConsumerRecord<byte[], byte[]>> show, Consumer<String> warn) {
        this.tail = tail;
        this.show = show;
        this.warn = warn;
    }

    /** Goes on without end. */
    void run() {
        for (var quiet = 1; ; quiet++) {
            var records = tail.poll(POLL);
            records.forEach(show);
            if (!records.isEmpty()) {
                quiet = 0;
            }
            if (quiet >= QUIET_POLLS) {
                quiet = 0;
                look();
            }
        }
    }

    private void look() {
        try {
            tail.check();
            if (away) {
                away = false;
                warn.accept("The broker answers again.");
            }
        } catch (BrokerUnreachableException e) {
            if (!away) {
                away = true;
                warn.accept("The broker does not answer any more; waiting for it.");
            }
        }
    }
}
