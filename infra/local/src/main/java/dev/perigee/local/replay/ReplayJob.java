package dev.perigee.local.replay;

import dev.perigee.client.KafkaConnection;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Order to replay, as a user gives it.
 *
 * @param selection null where the user chose nothing: all, or what the resumed run selects
 * @param maxInFlight requests that a user may have unanswered, as fast as it goes
 * @param patience how long to wait for staging's results in the end
 */
public record ReplayJob(
        From source,
        KafkaConnection target,
        @Nullable Selection selection,
        Speed speed,
        int maxInFlight,
        Rules rules,
        Mode mode,
        Duration patience) {

    /** Where the records are. */
    public sealed interface From {
        /** In a running fleet's topics. */
        record Fleet(KafkaConnection connection) implements From {}

        /** In a file of {@code perigee recording make}. */
        record Recording(Path file) implements From {}
    }

    /** How it is done. */
    public sealed interface Mode {
        /** A new run. */
        record Begin() implements Mode {}

        /** Reads and counts, and sends nothing. */
        record DryRun() implements Mode {}

        /**
         * Goes on with a run.
         *
         * @param run its id; null for the latest that is not over
         */
        record Resume(@Nullable String run) implements Mode {}
    }
}
