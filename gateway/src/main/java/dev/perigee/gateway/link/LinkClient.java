package dev.perigee.gateway.link;

import dev.perigee.protocol.tls.TlsFileException;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Makes {@link WorkerLinks}. */
public final class LinkClient implements WorkerLinks {
    private final JettyDialer dialer;
    private final Map<String, WorkerLink> byWorkerId = new ConcurrentHashMap<>();
    private final List<WorkerLink> links;

    private LinkClient(LinkOptions options, WorkerListener listener, MeterRegistry registry)
            throws TlsFileException {
        this.dialer = new JettyDialer(options);
        this.links =
                options.workers().stream()
                        .map(
                                address ->
                                        new WorkerLink(
                                                address,
                                                options,
                                                dialer,
                                                this::claim,
                                                listener,
                                                new LinkMeters(registry, address.getAuthority())))
                        .toList();
    }

    /**
     * Starts to dial all workers; returns at once.
     *
     * @throws TlsFileException when a TLS file cannot be used
     */
    public static WorkerLinks start(
            LinkOptions options, WorkerListener listener, MeterRegistry registry)
            throws TlsFileException {
        var client = new LinkClient(options, listener, registry);
        client.dialer.start();
        client.links.forEach(WorkerLink::start);
        return client;
    }

    @Override
    public PartitionLink open(
            PartitionClaim claim,
            String workerId,
            String incarnation,
            boolean create,
            SessionListener listener) {
        var link = byWorkerId.get(workerId);
        if (link == null) {
            throw new IllegalArgumentException("No worker " + workerId + " was reached yet");
        }
        return link.open(claim, workerId, incarnation, create, listener);
    }

    @Override
    public List<WorkerView> workers() {
        return links.stream().map(WorkerLink::view).toList();
    }

    @Override
    public void close() {
        links.forEach(WorkerLink::stop);
        dialer.close();
    }

    private boolean claim(String workerId, WorkerLink link) {
        var holder = byWorkerId.putIfAbsent(workerId, link);
        if (holder != null && holder != link) {
            return false;
        }
        byWorkerId
                .entrySet()
                .removeIf(entry -> entry.getValue() == link && !entry.getKey().equals(workerId));
        return true;
    }
}
