package dev.perigee.gateway.link;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.tls.TlsFileException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes {@link WorkerLinks}. */
public final class LinkClient implements WorkerLinks {
    private static final Logger LOG = LoggerFactory.getLogger(LinkClient.class);

    private final LinkOptions options;
    private final EventMemory events;
    private final WorkerListener listener;
    private final MeterRegistry registry;
    private final JettyDialer dialer;
    private final WorkerRoster roster;
    private final MembershipRefresh refresh;
    private final Map<String, WorkerLink> byWorkerId = new ConcurrentHashMap<>();
    private volatile List<WorkerLink> links = List.of();

    private LinkClient(
            LinkOptions options,
            EventMemory events,
            WorkerListener listener,
            MeterRegistry registry,
            NameService names)
            throws TlsFileException {
        this.options = options;
        this.events = events;
        this.listener = listener;
        this.registry = registry;
        this.dialer = new JettyDialer(options);
        this.roster = new WorkerRoster(options.workers());
        this.refresh =
                new MembershipRefresh(
                        options.workers(), roster, names, options.refresh(), this::lookedUp);
    }

    /**
     * Starts to dial all workers; returns at once.
     *
     * @param events what the sessions share
     * @throws TlsFileException when a TLS file cannot be used
     */
    public static WorkerLinks start(
            LinkOptions options,
            EventMemory events,
            WorkerListener listener,
            MeterRegistry registry)
            throws TlsFileException {
        return start(options, events, listener, registry, new Dns());
    }

    static WorkerLinks start(
            LinkOptions options,
            EventMemory events,
            WorkerListener listener,
            MeterRegistry registry,
            NameService names)
            throws TlsFileException {
        var client = new LinkClient(options, events, listener, registry, names);
        client.dialer.start();
        var _ = client.refresh();
        client.refresh.start();
        return client;
    }

    @Override
    public PartitionLink open(
            PartitionClaim claim,
            String workerId,
            String incarnation,
            boolean create,
            SessionListener owner) {
        var link = byWorkerId.get(workerId);
        if (link == null) {
            throw new IllegalArgumentException("No worker " + workerId + " was reached yet");
        }
        return link.open(claim, workerId, incarnation, create, owner);
    }

    @Override
    public List<WorkerView> workers() {
        return links.stream().map(WorkerLink::view).toList();
    }

    @Override
    public Set<String> heard() {
        return byWorkerId.entrySet().stream()
                .filter(entry -> entry.getValue().isHeard())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    @Override
    public void stays(String workerId, String reason) {
        var link = byWorkerId.get(workerId);
        if (link != null) {
            link.stays(reason);
        }
    }

    @Override
    public void prepare(String workerId, List<ServerConfig> configs, Duration atMost)
            throws InterruptedException {
        var link = byWorkerId.get(workerId);
        if (link != null) {
            link.prepare(configs, atMost);
        }
    }

    @Override
    public void close() {
        refresh.close();
        links.forEach(WorkerLink::stop);
        dialer.close();
    }

    private void lookedUp() {
        if (refresh()) {
            listener.changed();
        }
    }

    /**
     * Begins and ends links as the roster has it; first by who starts, then by the refresh. False
     * when all stays as it is.
     */
    private boolean refresh() {
        var now = new ArrayList<>(links);
        var over =
                now.stream()
                        .filter(
                                link ->
                                        roster.isOver(
                                                link.address(), link.view(), SteadyTime.now()))
                        .toList();
        var missing = roster.missing(now.stream().map(WorkerLink::address).toList());
        if (over.isEmpty() && missing.isEmpty()) {
            return false;
        }
        now.removeAll(over);
        var added = missing.stream().map(this::link).toList();
        now.addAll(added);
        links = List.copyOf(now);
        over.forEach(this::drop);
        added.forEach(WorkerLink::start);
        return true;
    }

    private WorkerLink link(WorkerAddress address) {
        var shown = address.shown();
        LOG.atInfo().addKeyValue("address", shown.getAuthority()).log("Dialling a worker");
        var meters = new LinkMeters(registry, shown.getAuthority());
        return new WorkerLink(address, options, events, dialer, this::claim, listener, meters);
    }

    private void drop(WorkerLink link) {
        LOG.atInfo()
                .addKeyValue("address", link.view().address().getAuthority())
                .log("No name resolves to this worker any more");
        byWorkerId.values().remove(link);
        link.stop();
        link.meters().remove();
    }

    private synchronized boolean claim(Hello.Result who, WorkerLink link) {
        var holder = byWorkerId.get(who.workerId());
        if (holder != null && !holder.equals(link)) {
            if (!holder.yieldsTo(who)) {
                return false;
            }
            holder.displaced(who);
        }
        byWorkerId.values().removeIf(link::equals);
        byWorkerId.put(who.workerId(), link);
        return true;
    }
}
