package dev.perigee.console;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Drains by the admin pages of workers. Any thread; an answer takes some seconds and 1 MiB at most.
 */
final class WorkerDrains {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String TIMEOUT = "10m";
    private static final long LARGEST = 1 << 20;

    private final @Nullable String token;

    /**
     * @param token of the workers' admin pages, null where they need none
     */
    WorkerDrains(@Nullable String token) {
        this.token = token;
    }

    private record Left(int partition) {}

    private record Shown(
            @Nullable String workerId,
            @Nullable String phase,
            @Nullable String error,
            @Nullable List<Left> partitions) {}

    /**
     * Starts a drain, or cancels it; returns how far it is, for people.
     *
     * @param admin the worker's admin pages
     * @throws ActionRefusedException when the worker does not do it
     */
    String drain(String workerId, URI admin, boolean undo)
            throws ActionRefusedException, InterruptedException {
        var scheme = admin.getScheme();
        if (admin.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw refused(workerId, "it does not tell where its admin pages are");
        }
        // Whoever answers there says who it is before it is told to do anything.
        var _ = ours(workerId, ask(workerId, request(admin.resolve("/drain")).GET()));
        var request = request(admin.resolve(undo ? "/drain" : "/drain?timeout=" + TIMEOUT));
        var shown =
                ours(
                        workerId,
                        ask(
                                workerId,
                                undo
                                        ? request.DELETE()
                                        : request.POST(HttpRequest.BodyPublishers.noBody())));
        int left = shown.partitions() == null ? 0 : shown.partitions().size();
        return "%s, %d partitions there"
                .formatted(Text.cut(String.valueOf(shown.phase()), Text.NAME), left);
    }

    private HttpRequest.Builder request(URI page) {
        var request = HttpRequest.newBuilder(page);
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static Shown ours(String workerId, HttpResponse<byte[]> answer)
            throws ActionRefusedException {
        var shown = shown(workerId, answer.body());
        if (answer.statusCode() == HttpStatus.UNAUTHORIZED_401) {
            throw refused(
                    workerId,
                    "it wants its admin.token: set console.worker-token of the gateways to it");
        }
        if (answer.statusCode() != HttpStatus.OK_200) {
            var error = shown.error();
            throw refused(workerId, error == null ? "HTTP " + answer.statusCode() : error);
        }
        if (!workerId.equals(shown.workerId())) {
            throw refused(workerId, "at its address there is another worker");
        }
        return shown;
    }

    private HttpResponse<byte[]> ask(String workerId, HttpRequest.Builder request)
            throws ActionRefusedException, InterruptedException {
        var http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        try {
            // A timeout of the request would end with the headers, and a body may stall.
            return http.sendAsync(
                            request.build(),
                            BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST))
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw refused(
                    workerId,
                    e.getCause() instanceof IOException
                            ? "it does not answer from here"
                            : "it cannot be asked");
        } catch (TimeoutException e) {
            throw refused(workerId, "it does not answer in time");
        } finally {
            http.shutdownNow();
        }
    }

    private static Shown shown(String workerId, byte[] body) throws ActionRefusedException {
        try {
            return Json.read(body, Shown.class);
        } catch (InvalidRecordException e) {
            throw refused(workerId, "what answers at its address is no worker");
        }
    }

    private static ActionRefusedException refused(String workerId, String why) {
        return new ActionRefusedException(
                HttpStatus.BAD_GATEWAY_502,
                Text.cut("Worker %s is not drained: %s.".formatted(workerId, why), Text.LINE / 4));
    }
}
