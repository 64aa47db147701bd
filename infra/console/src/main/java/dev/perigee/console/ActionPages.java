package dev.perigee.console;

import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * {@code /console/api/actions}: POST begins an action, GET with its id says how far it came, DELETE
 * stops it, GET without an id lists those that can be stopped. On a virtual thread of each request.
 */
final class ActionPages {
    /** A thousand long ids, and more than any reason. */
    private static final int MAX_BYTES = 1 << 20;

    private static final Duration CATCH_UP = Duration.ofSeconds(10);

    private final ActionDesk desk;
    private final FleetWatch watch;

    ActionPages(ActionDesk desk, FleetWatch watch) {
        this.desk = desk;
        this.watch = watch;
    }

    /** What is answered: a status of HTTP and a value. */
    record Answer(int status, Object value) {}

    private record Problem(String error) {}

    private record UnderWay(List<ActionProgress> actions) {}

    /** Begins an action; the caller has made sure that no other site asks. */
    Answer begin(Person person, Request request) throws IOException, InterruptedException {
        try {
            desk.admit(person);
            var ask = ActionAsk.read(body(request));
            try (var viewing = watch.openToAct()) {
                if (viewing == null) {
                    throw new ActionRefusedException(
                            HttpStatus.SERVICE_UNAVAILABLE_503, "the gateway ends");
                }
                viewing.board().awaitCaughtUp(CATCH_UP);
                return new Answer(
                        HttpStatus.ACCEPTED_202, desk.begin(person, ask, viewing.board()));
            }
        } catch (ActionRefusedException e) {
            return new Answer(e.status(), new Problem(e.reason()));
        }
    }

    /** How far an action came; without an id, those that this person may stop. */
    Answer progress(Person person, @Nullable String id) {
        if (id == null) {
            return new Answer(HttpStatus.OK_200, new UnderWay(desk.underWay(person)));
        }
        var progress = desk.progress(id);
        return progress == null
                ? new Answer(HttpStatus.NOT_FOUND_404, new Problem("actions?id= a request_id"))
                : new Answer(HttpStatus.OK_200, progress);
    }

    /** Stops an action that is under way; the caller has made sure that no other site asks. */
    Answer stop(Person person, @Nullable String id) throws InterruptedException {
        try {
            return new Answer(HttpStatus.OK_200, desk.stop(person, id == null ? "" : id));
        } catch (ActionRefusedException e) {
            return new Answer(e.status(), new Problem(e.reason()));
        }
    }

    private static byte[] body(Request request) throws IOException, ActionRefusedException {
        try (var body = Content.Source.asInputStream(request)) {
            var bytes = body.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new ActionRefusedException(
                        HttpStatus.PAYLOAD_TOO_LARGE_413, "more than 1 MiB is no action");
            }
            return bytes;
        }
    }

    static byte[] json(Answer answer) {
        return Json.write(answer.value());
    }
}
