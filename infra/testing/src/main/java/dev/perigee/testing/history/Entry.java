package dev.perigee.testing.history;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Received;
import org.jspecify.annotations.Nullable;

/**
 * What a history keeps of a record.
 *
 * @param place topic and partition
 * @param requestId of a call's result, empty for all else
 * @param ending of a call's result: its outcome, and the code of its error
 * @param atMs when it was written, in milliseconds of the epoch
 */
public record Entry(String place, String id, String requestId, String ending, long atMs) {

    /** Whose event it is, and the how manyth: what {@code ce_id} says of a worker's records. */
    record Position(String session, long seq) {}

    static Entry of(Received received) {
        boolean result = received.topic().equals(Topic.TOOL_RESULTS.suffix());
        return new Entry(
                received.topic() + "-" + received.raw().partition(),
                received.header("ce_id"),
                result ? received.text("request_id") : "",
                result
                        ? (received.text("outcome") + " " + received.text("error/code")).strip()
                        : "",
                received.raw().timestamp());
    }

    /** Null for a record that a gateway made itself. */
    @Nullable Position position() {
        var parts = id.split("/", -1);
        boolean counted = parts.length == 3 && parts[1].matches("\\d+") && parts[2].matches("\\d+");
        return counted ? new Position(parts[0] + "/" + parts[1], Long.parseLong(parts[2])) : null;
    }
}
