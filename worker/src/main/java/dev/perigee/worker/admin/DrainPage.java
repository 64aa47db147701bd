package dev.perigee.worker.admin;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.worker.session.DrainProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** {@code /drain}: GET shows the drain, POST starts or extends it, DELETE cancels it. */
final class DrainPage {
    private static final Duration USUAL_TIMEOUT = Duration.ofMinutes(1);

    private final DrainControl control;

    DrainPage(DrainControl control) {
        this.control = control;
    }

    /** Answer of the page. */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record Answer(int status, byte[] json) {}

    private record Shown(
            String workerId,
            String phase,
            long version,
            @Nullable String reason,
            @Nullable Instant deadline,
            List<DrainProgress.Left> partitions) {}

    private record Problem(String error) {}

    Answer answer(Request request) {
        return switch (request.getMethod()) {
            case "GET" -> shown(control.progress());
            case "POST" -> drain(request);
            case "DELETE" -> shown(control.undo());
            default ->
                    problem(
                            HttpStatus.METHOD_NOT_ALLOWED_405,
                            "GET, POST and DELETE are answered here");
        };
    }

    private Answer drain(Request request) {
        var text = Request.extractQueryParameters(request).getValue("timeout");
        var timeout = text == null ? USUAL_TIMEOUT : SettingType.duration().parser().parse(text);
        return timeout == null
                ? problem(HttpStatus.BAD_REQUEST_400, "timeout is a duration such as 60s")
                : shown(control.drain(timeout));
    }

    private Answer shown(DrainProgress progress) {
        return new Answer(
                HttpStatus.OK_200,
                Json.write(
                        new Shown(
                                control.workerId(),
                                progress.phase().name().toLowerCase(Locale.ROOT),
                                progress.version(),
                                progress.reason(),
                                progress.deadline(),
                                progress.partitions())));
    }

    private static Answer problem(int status, String error) {
        return new Answer(status, Json.write(new Problem(error)));
    }
}
