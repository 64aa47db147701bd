package dev.perigee.local.cli;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Requests to admin pages. An answer takes 5 s and 16 MiB at most, its body too. Any thread. */
final class AdminHttp implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long LARGEST = 16L << 20;

    private final @Nullable String token;
    private final Duration patience;
    private final HttpClient http;

    AdminHttp(@Nullable String token) {
        this(token, PATIENCE);
    }

    AdminHttp(@Nullable String token, Duration patience) {
        this.token = token;
        this.patience = patience;
        this.http = HttpClient.newBuilder().connectTimeout(patience).build();
    }

    /**
     * The whole answer, whatever its status.
     *
     * @throws IOException when there is none, or none in time
     */
    HttpResponse<byte[]> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        // A timeout of the request would end with the headers, and a body may stall.
        var answer =
                http.sendAsync(
                        request.build(),
                        BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST));
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no whole answer within " + patience.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException("no answer", e.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    /** Ends what is under way: to wait for it could take for ever. */
    @Override
    public void close() {
        http.shutdownNow();
    }
}
