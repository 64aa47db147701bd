package dev.perigee.local.cli;

import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker's {@code /drain} page. */
final class WorkerAdmin implements AutoCloseable {
    /** Between two looks. */
    static final Duration POLL = Duration.ofMillis(200);

    private final String workerId;
    private final URI page;
    private final AdminHttp http;

    private WorkerAdmin(String workerId, URI page, AdminHttp http) {
        this.workerId = workerId;
        this.page = page;
        this.http = http;
    }

    /** What the page says. */
    record Drain(String workerId, String phase, List<Left> partitions) {
        Drain {
            partitions = List.copyOf(partitions);
        }

        boolean isStuck() {
            return !partitions.isEmpty()
                    && partitions.stream().allMatch(each -> each.stays() != null);
        }
    }

    /** A partition that is still there. */
    record Left(
            int partition,
            @Nullable String gatewayId,
            int processes,
            int requests,
            @Nullable String stays) {}

    private record Problem(@Nullable String error) {}

    static WorkerAdmin at(String workerId, URI admin, @Nullable String token) {
        return at(workerId, admin, new AdminHttp(token));
    }

    /**
     * @param http closed with it
     */
    static WorkerAdmin at(String workerId, URI admin, AdminHttp http) {
        var scheme = admin.getScheme();
        if (admin.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw CliException.usage("--admin " + admin + ": write it as http://HOST:PORT");
        }
        return new WorkerAdmin(workerId, admin.resolve("/drain"), http);
    }

    /** Whoever answers there says who it is before it is told to do anything. */
    Drain drain(Duration timeout) throws InterruptedException {
        progress();
        var asked = URI.create(page + "?timeout=" + timeout.toMillis() + "ms");
        return ask(HttpRequest.newBuilder(asked).POST(HttpRequest.BodyPublishers.noBody()));
    }

    Drain undo() throws InterruptedException {
        progress();
        return ask(HttpRequest.newBuilder(page).DELETE());
    }

    Drain progress() throws InterruptedException {
        return ask(HttpRequest.newBuilder(page).GET());
    }

    @Override
    public void close() {
        http.close();
    }

    private Drain ask(HttpRequest.Builder request) throws InterruptedException {
        try {
            var answer = http.send(request);
            if (answer.statusCode() != 200) {
                throw new CliException(
                        ExitCode.FAILED,
                        "Worker %s refuses (HTTP %d): %s"
                                .formatted(workerId, answer.statusCode(), problem(answer.body())));
            }
            return ours(Json.read(answer.body(), Drain.class));
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "Worker %s does not answer at %s: start it, or name its pages with --admin URL"
                            .formatted(workerId, page));
        } catch (InvalidRecordException e) {
            throw new CliException(
                    ExitCode.FAILED, "What answers at " + page + " is no worker of Perigee");
        }
    }

    private Drain ours(Drain drain) {
        if (!drain.workerId().equals(workerId)) {
            throw CliException.usage(
                    "At %s there is %s, not %s".formatted(page, drain.workerId(), workerId));
        }
        return drain;
    }

    private static String problem(byte[] body) {
        try {
            var error = Json.read(body, Problem.class).error();
            return error == null ? "it does not say why" : error;
        } catch (InvalidRecordException e) {
            return "it does not say why";
        }
    }
}
