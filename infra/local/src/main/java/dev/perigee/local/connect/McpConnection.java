package dev.perigee.local.connect;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.KafkaConnection;
import dev.perigee.client.KafkaRefusedException;
import dev.perigee.client.MissingTopicException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Connection of one MCP client over two streams, a message a line, to a user's servers by the
 * fleet's public topics. Confined to the calling thread, which waits for inputs; another reads the
 * client's lines, one the catalogue, and each call has a virtual one.
 *
 * <p>Bounds: lines of {@link #MOST_LINE_BYTES}, the {@link Inbox}, what the {@link McpSession}
 * says, and at the end {@link #END} for the calls that are cancelled.
 */
public final class McpConnection {
    /** Longest message of a client. */
    public static final int MOST_LINE_BYTES = 8 << 20;

    /** How long calls in flight may take to be cancelled at the end. */
    private static final Duration END = Duration.ofSeconds(5);

    /** How long lists that came before the end of the input may wait for the catalogue. */
    private static final Duration LISTS = Duration.ofSeconds(10);

    private static final Duration LONG = Duration.ofHours(1);

    private final KafkaConnection kafka;
    private final ConnectOptions options;
    private final Consumer<String> note;
    private final Inbox inbox = new Inbox();

    /**
     * A connection that is not open.
     *
     * @param note takes what only a person can act on, and no secrets; for any thread
     */
    public McpConnection(KafkaConnection kafka, ConnectOptions options, Consumer<String> note) {
        this.kafka = kafka;
        this.options = options;
        this.note = note;
    }

    /**
     * Serves the client of this process's standard streams, as {@link #serve} does. A write that
     * the client does not take ends by an interrupt.
     */
    public void serveStandardStreams() throws InterruptedException {
        var out = new FileOutputStream(FileDescriptor.out).getChannel();
        serve(new FileInputStream(FileDescriptor.in), Channels.newOutputStream(out));
    }

    /**
     * Serves a client until its input ends, or it takes no output; then cancels its calls in
     * flight, as it does when the JVM ends.
     *
     * @throws BrokerUnreachableException when no broker answers at first
     * @throws MissingTopicException when a topic is not there
     * @throws KafkaRefusedException when a broker refuses, at first or later
     */
    public void serve(InputStream in, OutputStream out) throws InterruptedException {
        var connected = FleetClient.connect(kafka, note);
        try (var client = connected.client();
                var feed = CatalogueFeed.open(kafka, options, client, inbox::put, note)) {
            var calls = new FleetCalls(client, options.key(), inbox, note);
            var session =
                    new McpSession(
                            options, connected.events(), () -> "connect-" + UUID.randomUUID());
            var hook = new Thread(() -> calls.end(END), "perigee-connect-end");
            Runtime.getRuntime().addShutdownHook(hook);
            var over = new CountDownLatch(1);
            try {
                feed.start();
                read(in, over);
                run(
                        session,
                        new SessionDriver(
                                session,
                                calls,
                                new Lines(new BufferedOutputStream(out)),
                                MOST_LINE_BYTES));
            } finally {
                over.countDown();
                calls.end(END);
                remove(hook);
            }
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, and the hook does its work.
        }
    }

    /** Reads the client's lines on a thread that ends with them. */
    private void read(InputStream in, CountDownLatch over) {
        var served = Thread.currentThread();
        Thread.ofPlatform()
                .daemon()
                .name("perigee-connect-input")
                .start(
                        () -> {
                            try {
                                readLines(in);
                                inbox.put(new Input.Closed());
                                var patience = END.plus(LISTS).multipliedBy(2);
                                if (!over.await(patience.toSeconds(), TimeUnit.SECONDS)) {
                                    served.interrupt(); // The client does not read.
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void readLines(InputStream in) throws InterruptedException {
        var lines = new LineReader(in, MOST_LINE_BYTES);
        try {
            for (var line = lines.next(); line != null; line = lines.next()) {
                if (!line.isBlank()) {
                    inbox.put(new Input.Received(line));
                }
            }
        } catch (IOException e) {
            note.accept("The input cannot be read any more: " + e.getMessage());
        }
    }

    private void run(McpSession session, SessionDriver driver) throws InterruptedException {
        boolean ended = false;
        long end = 0;
        while (!ended || session.isWaiting()) {
            var input = inbox.poll(ended ? Duration.ofNanos(end - System.nanoTime()) : LONG);
            if (input == null && ended) {
                return;
            }
            if (input instanceof Input.Closed) {
                ended = true;
                end = System.nanoTime() + LISTS.toNanos();
            }
            if (input instanceof Input.Failed(var why)) {
                throw why;
            }
            try {
                if (input != null) {
                    driver.take(input);
                }
            } catch (IOException e) {
                var _ = Thread.interrupted(); // By which a write ends that nobody takes.
                note.accept("The client takes no output any more");
                return;
            } catch (RuntimeException e) {
                note.accept(
                        "Unexpected error in the session; continuing: "
                                + e.getClass().getSimpleName());
            }
        }
    }

    /** Lines to the client. */
    private record Lines(OutputStream out) implements SessionDriver.Outlet {
        @Override
        public void send(Action.Send send) throws IOException {
            out.write(send.message().onOneLine().bytes());
            out.write('\n');
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }
}
