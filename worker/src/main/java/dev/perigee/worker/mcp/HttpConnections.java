package dev.perigee.worker.mcp;

import dev.perigee.worker.egress.EgressGuards;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one worker to all its HTTP servers: one selector thread, virtual threads for
 * what happens on them, none for a client at rest. Redirects are left to sessions, no cookie and no
 * password is kept, so what servers share here are closed rooms: a connection carries the
 * credentials of the request on it and nothing else. Names resolve as the guards of requests have
 * it, and through no proxy, so that what is dialled is what the egress policy decided on.
 */
public final class HttpConnections implements AutoCloseable {
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    /**
     * Node and uvicorn close a connection that was unused for 5 s. A call that is sent in that
     * moment has no answer and may have run, so we are the first to close.
     */
    private static final Duration KEEP_UNUSED = Duration.ofSeconds(3);

    private final HttpOptions options;
    private final LineRoom room;
    private final EgressGuards guards;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable HttpClient client;
    private @Nullable ExecutorService threads;

    private HttpConnections(HttpOptions options, LineRoom room, EgressGuards guards) {
        this.options = options;
        this.room = room;
        this.guards = guards;
    }

    /**
     * Connections that are made as they are needed, as is all that they need.
     *
     * @param room for messages of which the end is not read yet
     */
    public static HttpConnections open(HttpOptions options, LineRoom room) {
        return open(options, room, EgressGuards.of(options.egress()));
    }

    /** The same, with guards that ask somebody else for names. */
    static HttpConnections open(HttpOptions options, LineRoom room, EgressGuards guards) {
        return new HttpConnections(options, room, guards);
    }

    /** Requests that the egress policy refused until now. */
    public long refused() {
        return guards.refused();
    }

    /** The worker listens at this port: see {@link EgressGuards#listensAt}. */
    public void listensAt(int port) {
        guards.listensAt(port);
    }

    EgressGuards guards() {
        return guards;
    }

    LineRoom room() {
        return room;
    }

    HttpOptions options() {
        return options;
    }

    /** What makes them; the first call reads the system's trusted certificates, for a moment. */
    HttpClient client() {
        lock.lock();
        try {
            if (client == null) {
                EgressGuards.requireEnforced();
                threads =
                        Executors.newThreadPerTaskExecutor(
                                Thread.ofVirtual().name("mcp-http-", 0).factory());
                client = client(guards.guarded(threads));
            }
            return client;
        } finally {
            lock.unlock();
        }
    }

    private HttpClient client(Executor executor) {
        // Else the JDK connects a second time by itself, and three attempts are six.
        System.setProperty("jdk.httpclient.disableRetryConnect", "true");
        System.setProperty(
                "jdk.httpclient.keepalive.timeout", String.valueOf(KEEP_UNUSED.toSeconds()));
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(options.connectTimeout())
                .executor(executor)
                .build();
    }

    /** Breaks all connections off. Close the clients first. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (client == null || threads == null) {
                return;
            }
            client.shutdownNow();
            try {
                client.awaitTermination(LONGEST_CLOSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            threads.shutdownNow();
        } finally {
            lock.unlock();
        }
    }
}
