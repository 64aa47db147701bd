package dev.perigee.local.replay;

import dev.perigee.client.KafkaConnection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a replay is asked to do.
 *
 * @param selection null where the user chose nothing: all, or what the resumed run selects
 * @param patience how long to wait for staging's results in the end
 */
public record ReplayJob(
        KafkaConnection source,
        KafkaConnection target,
        @Nullable Selection selection,
        Speed speed,
        Rules rules,
        Mode mode,
        Duration patience) {

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
