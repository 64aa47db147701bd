package dev.perigee.testing.history;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.fleet.Received;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Record as a history keeps it.
 *
 * @param place topic and partition
 * @param requestId of a call's result, or the command's of a terminal one; empty for all else
 * @param ending of such a result: its outcome, and the code of its error
 * @param content what it says, as far as a repeat must say the same
 * @param atMs when it was written, in milliseconds of the epoch
 */
public record HistoryRecord(
        String place, String id, String requestId, String ending, int content, long atMs) {

    /** Whose event it is, and the how manyth: what {@code ce_id} says of a worker's records. */
    record Position(String session, long seq) {}

    static HistoryRecord of(Received received) {
        var id = received.header("ce_id");
        var answered = answered(received);
        return new HistoryRecord(
                received.topic() + "-" + received.raw().partition(),
                id,
                answered,
                answered.isEmpty()
                        ? ""
                        : (received.text("outcome") + " " + received.text("error/code")).strip(),
                position(id) == null ? 0 : Arrays.hashCode(received.raw().value()),
                received.raw().timestamp());
    }

    /** The id of the request or command that a record answers for good; empty for others. */
    static String answered(Received received) {
        if (received.topic().equals(Topic.TOOL_RESULTS.suffix())) {
            return received.text("request_id");
        }
        boolean ends =
                received.topic().equals(Topic.COMMAND_RESULTS.suffix())
                        && !received.text("outcome").equals("acknowledged");
        return ends ? received.text("command_id") : "";
    }

    /** Null for a record that a gateway made itself. */
    @Nullable Position position() {
        return position(id);
    }

    private static @Nullable Position position(String id) {
        var parts = id.split("/", -1);
        boolean counted = parts.length == 3 && parts[1].matches("\\d+") && parts[2].matches("\\d+");
        return counted ? new Position(parts[0] + "/" + parts[1], Long.parseLong(parts[2])) : null;
    }
}
