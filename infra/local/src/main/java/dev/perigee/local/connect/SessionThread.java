package dev.perigee.local.connect;

import dev.perigee.client.PerigeeClient;
import dev.perigee.local.connect.LineReader.Line;
import dev.perigee.protocol.topic.RecordKey;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Session of a door's client on a virtual thread of its own, which takes inputs until it is ended,
 * then cancels the calls in flight. Safe for use by any thread.
 */
final class SessionThread {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration END = Duration.ofSeconds(5);

    /** How long a message may wait for those before it. */
    private static final Duration TURN = Duration.ofSeconds(10);

    private final Inbox inbox = new Inbox();
    private final FleetCalls calls;
    private final SessionDriver driver;
    private final Consumer<String> note;
    private final Runnable over;
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * A session that is not started.
     *
     * @param over called at the end, on its thread
     */
    SessionThread(
            McpSession session,
            PerigeeClient client,
            RecordKey key,
            SessionDriver.Outlet outlet,
            Consumer<String> note,
            Runnable over) {
        this.calls = new FleetCalls(client, key, inbox, note);
        this.driver = new SessionDriver(session, calls, outlet, McpConnection.MOST_LINE_BYTES);
        this.note = note;
        this.over = over;
    }

    /**
     * Starts it.
     *
     * @param isOver called when its calls are cancelled, too
     */
    void start(Runnable isOver) {
        Thread.ofVirtual().name("perigee-door-session").start(() -> run(isOver));
    }

    private void run(Runnable isOver) {
        try {
            Input input = null;
            while (!(input instanceof Input.Closed)) {
                input = inbox.poll(LONG);
                if (input != null) {
                    take(input);
                }
            }
        } catch (InterruptedException | IOException e) {
            note.accept("A session ended: " + e.getClass().getSimpleName());
        } finally {
            over.run();
            calls.end(END);
            ended.countDown();
            isOver.run();
        }
    }

    private void take(Input input) throws IOException {
        try {
            driver.take(input);
        } catch (RuntimeException e) {
            note.accept(
                    "Unexpected error in a session; continuing: " + e.getClass().getSimpleName());
        }
    }

    /** Hands over a message of the client's; false where the session does not take it in time. */
    boolean receive(byte[] message) throws InterruptedException {
        return inbox.put(new Input.Received(new Line(message)), TURN);
    }

    /** Hands over the tools there are. */
    void offer(Offer offer) {
        put(new Input.Offered(offer));
    }

    /** Ends it, behind what it was handed before. */
    void end() {
        put(new Input.Closed());
    }

    private void put(Input input) {
        if (!inbox.offer(input)) {
            // So full only while its thread stands still.
            Thread.ofVirtual().name("perigee-door-late").start(() -> putLate(input));
        }
    }

    private void putLate(Input input) {
        try {
            while (ended.getCount() > 0 && !inbox.put(input, TURN)) {
                note.accept("A session stands still");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until it has ended, at most so long. */
    void awaitEnd(Duration wait) throws InterruptedException {
        var _ = ended.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    }
}
