package dev.perigee.worker.session;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a worker's drain.
 *
 * @param version grows with each change of {@code phase}
 * @param reason why it drains, null while it does not
 * @param deadline until when partitions are asked to leave, null while they are not
 * @param partitions those that are left
 */
public record DrainProgress(
        DrainState.Phase phase,
        long version,
        @Nullable String reason,
        @Nullable Instant deadline,
        List<Left> partitions) {

    /**
     * A partition that is still here.
     *
     * @param gatewayId the attached gateway, null when none is
     * @param processes instances with a process
     * @param requests requests without a result
     * @param stays why its gateway does not move it, null when it does
     */
    public record Left(
            int partition,
            @Nullable String gatewayId,
            int processes,
            int requests,
            @Nullable String stays) {}

    public DrainProgress {
        partitions = List.copyOf(partitions);
    }
}
