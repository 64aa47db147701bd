package dev.perigee.gateway;

import dev.perigee.gateway.link.LinkClient;
import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerListener;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.placement.HostChoice;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.PlacementSettings;
import dev.perigee.gateway.placement.RecordedHost;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.tls.TlsFileException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The workers that the settings name, behind links. */
final class LinkedFleet implements Fleet {
    private final Settings settings;
    private final HostChoice choice;

    LinkedFleet(Settings settings) {
        this.settings = settings;
        this.choice = PlacementSettings.choice(settings);
    }

    @Override
    public WorkerLinks connect(String gatewayId, WorkerListener listener, MeterRegistry registry) {
        var options =
                LinkSettings.options(
                        settings, gatewayId, settings.value(GatewaySettings.SESSION_TIMEOUT));
        var events = MemorySettings.events(settings);
        new GatewayGauges(registry, InstantSource.system()).memory("events", events.budget());
        try {
            return LinkClient.start(options, events, listener, registry);
        } catch (TlsFileException e) {
            throw new GatewayStartException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public HostDecision place(
            int partition,
            @Nullable RecordedHost recorded,
            LastHeld held,
            List<WorkerView> workers,
            Instant now) {
        return choice.choose(partition, recorded, held, workers, now);
    }
}
