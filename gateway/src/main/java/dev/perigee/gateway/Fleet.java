package dev.perigee.gateway;

import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerListener;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workers a gateway works with: real ones behind links, or a test's. */
public interface Fleet {
    /** Starts to dial the workers; returns at once. */
    WorkerLinks connect(String gatewayId, WorkerListener listener, MeterRegistry registry);

    /**
     * Decides which worker a partition goes to.
     *
     * @param recorded the worker that had it last, null when none had
     * @param held until when gateways may have held the session there
     */
    HostDecision place(
            int partition,
            @Nullable RecordedHost recorded,
            LastHeld held,
            List<WorkerView> workers,
            Instant now);
}
