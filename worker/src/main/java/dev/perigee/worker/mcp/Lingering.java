package dev.perigee.worker.mcp;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges whose answer came and whose response should end now. A server that keeps them open
 * loses the connection: after a while when more is sent, at once when there are too many.
 */
final class Lingering {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int MAX = 64;

    private final ConcurrentLinkedQueue<Exchange> exchanges = new ConcurrentLinkedQueue<>();

    void add(Exchange exchange) {
        exchange.linger(System.nanoTime());
        exchanges.add(exchange);
        if (exchange.isOver()) {
            exchanges.remove(exchange);
        } else if (exchanges.size() > MAX) {
            abandon(exchanges.poll());
        }
    }

    void remove(Exchange exchange) {
        exchanges.remove(exchange);
    }

    void sweep() {
        long now = System.nanoTime();
        for (var first = exchanges.peek();
                first != null && first.lingersLongerThan(PATIENCE_NANOS, now);
                first = exchanges.peek()) {
            exchanges.remove(first);
            first.abandon();
        }
    }

    void clear() {
        for (var exchange = exchanges.poll(); exchange != null; exchange = exchanges.poll()) {
            exchange.abandon();
        }
    }

    private static void abandon(@Nullable Exchange exchange) {
        if (exchange != null) {
            exchange.abandon();
        }
    }
}
