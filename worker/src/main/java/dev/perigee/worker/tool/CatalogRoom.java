package dev.perigee.worker.tool;

import dev.perigee.protocol.event.EventBody.LeftOut;
import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Room of one catalogue: what fits is taken in the order in which it is offered, and what does not
 * is noted. For one thread.
 */
final class CatalogRoom {
    /** Of all parts together, in bytes of JSON. */
    static final int MAX_BYTES = 1 << 20;

    private static final String TOO_LARGE = "too_large";
    private static final String FAILED = "failed";

    private final List<LeftOut> leftOut = new ArrayList<>();
    private int left = MAX_BYTES;

    /** The part where it fits, else null. */
    @Nullable RawJson take(String part, @Nullable RawJson json) {
        if (json != null && !fits(json.size())) {
            leftOut.add(new LeftOut(part, 0, TOO_LARGE));
            return null;
        }
        return json;
    }

    /** The text where it fits, else null. */
    @Nullable String take(String part, @Nullable String text) {
        // A character has three bytes at most, or is half of a pair that has four.
        if (text != null && !fits(3L * text.length())) {
            leftOut.add(new LeftOut(part, 0, TOO_LARGE));
            return null;
        }
        return text;
    }

    /** Adds an entry of a list; false where that and all that follow it are left out. */
    boolean add(String part, List<RawJson> kept, RawJson entry) {
        if (fits(entry.size())) {
            kept.add(entry);
            return true;
        }
        leftOut.add(new LeftOut(part, kept.size(), TOO_LARGE));
        return false;
    }

    /** The server did not list what follows. */
    void failed(String part, int kept) {
        leftOut.add(new LeftOut(part, kept, FAILED));
    }

    /** Everything that is not there. */
    List<LeftOut> leftOut() {
        return List.copyOf(leftOut);
    }

    private boolean fits(long bytes) {
        if (bytes > left) {
            return false;
        }
        left -= (int) bytes;
        return true;
    }
}
