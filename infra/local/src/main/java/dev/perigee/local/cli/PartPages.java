package dev.perigee.local.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Admin pages of gateways and workers that say how they are. Each answer takes 5 s at most. */
final class PartPages implements AutoCloseable {
    private static final String STARTED = "process_start_time_seconds";

    private final AdminHttp http;

    PartPages(@Nullable String token) {
        this(new AdminHttp(token));
    }

    PartPages(AdminHttp http) {
        this.http = http;
    }

    private record Health(String status, List<Obstacle> obstacles) {}

    private record Obstacle(String part, String reason) {}

    private record Instances(Map<String, Integer> countsByState) {}

    /** The reason why a part is not ready, null when it is. */
    @Nullable String obstacle(URI admin) throws InterruptedException {
        var answer = get(admin.resolve("/health/ready"));
        if (answer == null) {
            return "it does not answer at " + admin;
        }
        if (answer.statusCode() == 200) {
            return null;
        }
        try {
            return Json.read(answer.body(), Health.class).obstacles().stream()
                    .map(each -> each.part() + ": " + each.reason())
                    .collect(Collectors.joining(" "));
        } catch (InvalidRecordException e) {
            return "its health page says HTTP " + answer.statusCode();
        }
    }

    /** When a part's process began, as it prints it; null where it does not say. */
    @Nullable String started(URI admin) throws InterruptedException {
        var answer = get(admin.resolve("/metrics"));
        return answer == null || answer.statusCode() != 200
                ? null
                : new String(answer.body(), UTF_8)
                        .lines()
                        .filter(line -> line.startsWith(STARTED))
                        .findFirst()
                        .orElse(null);
    }

    /** How many processes of a worker are on their way; -1 where it does not say. */
    int starting(URI admin) throws InterruptedException {
        var answer = get(admin.resolve("/debug/instances"));
        try {
            return answer == null || answer.statusCode() != 200
                    ? -1
                    : Json.read(answer.body(), Instances.class)
                            .countsByState()
                            .getOrDefault("starting", 0);
        } catch (InvalidRecordException e) {
            return -1;
        }
    }

    @Override
    public void close() {
        http.close();
    }

    private @Nullable HttpResponse<byte[]> get(URI page) throws InterruptedException {
        try {
            return http.send(HttpRequest.newBuilder(page));
        } catch (IOException e) {
            return null;
        }
    }
}
