package dev.perigee.testing.operate;

import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.Installation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Calls the tool {@code echo} of servers in turn, 25 times a second whether they are answered or
 * not, on a thread of its own until it is stopped.
 */
final class SteadyCalls implements AutoCloseable {
    private static final Duration PACE = Duration.ofMillis(40);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Backend backend;
    private final List<Installation> servers;
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("steady-calls").unstarted(this::call);

    private SteadyCalls(Backend backend, List<Installation> servers) {
        this.backend = backend;
        this.servers = servers;
    }

    /** Begins to call servers that are installed. */
    static SteadyCalls of(Backend backend, List<Installation> servers) {
        var calls = new SteadyCalls(backend, servers);
        calls.thread.start();
        return calls;
    }

    private void call() {
        try {
            for (int number = 0; !stopped.await(PACE.toNanos(), TimeUnit.NANOSECONDS); number++) {
                var server = servers.get(number % servers.size());
                sent.add(backend.request(server, "echo", "{\"message\":\"" + number + "\"}"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How many calls the brokers have taken. */
    int sent() {
        return sent.size();
    }

    void awaitSent(int count) {
        Awaitility.await("calls").atMost(PATIENCE).until(() -> sent.size() >= count);
    }

    /** Sends no more and gives the ids of all calls. */
    List<String> stop() throws InterruptedException {
        stopped.countDown();
        if (!thread.join(PATIENCE)) {
            throw new AssertionError("The brokers do not take the last call");
        }
        return List.copyOf(sent);
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
