package dev.perigee.worker.mcp;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The connections of one worker to all its HTTP servers: one selector thread, virtual threads for
 * what happens on them, none for a client at rest. Redirects are never followed, no cookie and no
 * password is kept, so what servers share here are closed rooms: a connection carries the
 * credentials of the request on it and nothing else.
 */
public final class HttpConnections implements AutoCloseable {
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    private final HttpOptions options;
    private final ExecutorService threads;
    private final HttpClient client;

    private HttpConnections(HttpOptions options, ExecutorService threads, HttpClient client) {
        this.options = options;
        this.threads = threads;
        this.client = client;
    }

    /** Connections that are made as they are needed; starts the selector thread. */
    public static HttpConnections open(HttpOptions options) {
        // Else the JDK connects a second time by itself, and three attempts are six.
        System.setProperty("jdk.httpclient.disableRetryConnect", "true");
        var threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("mcp-http-", 0).factory());
        var client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(options.connectTimeout())
                        .executor(threads)
                        .build();
        return new HttpConnections(options, threads, client);
    }

    HttpOptions options() {
        return options;
    }

    HttpClient client() {
        return client;
    }

    /** Breaks all connections off. Close the clients first. */
    @Override
    public void close() {
        client.shutdownNow();
        try {
            client.awaitTermination(LONGEST_CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
