package dev.perigee.gateway.partition;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a partition cannot be restored, said when it begins or becomes something else. For the
 * owner's thread; {@link #text} any thread.
 */
final class RestoreProblem {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreProblem.class);

    private final int partition;
    private volatile @Nullable String text;

    RestoreProblem(int partition) {
        this.partition = partition;
    }

    /** Null when there is none. */
    @Nullable String text() {
        return text;
    }

    /** Somebody must do something. */
    void is(UnreadableStateException failure) {
        var reason = String.valueOf(failure.getMessage());
        if (!reason.equals(text)) {
            LOG.atError()
                    .addKeyValue("partition", partition)
                    .addKeyValue("reason", reason)
                    .log("Partition not served: its state cannot be read");
        }
        text = reason;
    }

    /** It may go away by itself. */
    void is(RuntimeException failure) {
        var reason = failure.toString();
        if (!reason.equals(text)) {
            LOG.atWarn()
                    .addKeyValue("partition", partition)
                    .setCause(failure)
                    .log("Cannot restore a partition; retrying");
        }
        text = reason;
    }

    void over() {
        text = null;
    }
}
