package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkState;
import dev.perigee.gateway.link.PartitionClaim;
import dev.perigee.gateway.link.PartitionLink;
import dev.perigee.gateway.link.SessionListener;
import dev.perigee.gateway.link.WorkerLinks;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.link.SessionNotice.Phase;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The links to workers as owners see them: the test says which workers there are, and what becomes
 * of the sessions that owners open. Thread-safe.
 */
final class ScriptedWorker implements WorkerLinks {
    static final String ID = "w";
    static final String INCARNATION = "w/1";

    /** Sessions that owners opened, in order. */
    final List<ScriptedSession> sessions = new CopyOnWriteArrayList<>();

    /** Reasons that workers were told why partitions stay, by the worker. */
    final List<String> stays = new CopyOnWriteArrayList<>();

    /** Installations that workers were asked to prepare, by the worker. */
    final List<String> prepared = new CopyOnWriteArrayList<>();

    private volatile List<WorkerView> workers =
            List.of(view(ID, INCARNATION, LinkState.CONNECTED, Phase.SERVING));
    private volatile @Nullable RuntimeException refusal;
    private final AtomicReference<@Nullable RuntimeException> defect = new AtomicReference<>();

    static WorkerView view(String id, String incarnation, LinkState state, Phase phase) {
        return new WorkerView(
                URI.create("ws://" + id),
                id,
                incarnation,
                state,
                Instant.EPOCH,
                null,
                Duration.ofMinutes(1),
                1,
                phase,
                null,
                false);
    }

    /** These are there from now on. */
    void are(WorkerView... there) {
        workers = List.of(there);
    }

    /** Sessions cannot be opened from now on, for this reason; null when they can. */
    void refuse(@Nullable RuntimeException reason) {
        refusal = reason;
    }

    @Override
    public PartitionLink open(
            PartitionClaim claim,
            String workerId,
            String incarnation,
            boolean create,
            SessionListener listener) {
        var reason = refusal;
        if (reason != null) {
            throw reason;
        }
        var session = new ScriptedSession(claim, workerId, listener);
        sessions.add(session);
        return session;
    }

    /** Who looks hears this the next time, once. */
    void failLook(RuntimeException with) {
        defect.set(with);
    }

    @Override
    public List<WorkerView> workers() {
        var once = defect.getAndSet(null);
        if (once != null) {
            throw once;
        }
        return workers;
    }

    @Override
    public Set<String> heard() {
        return Set.of();
    }

    @Override
    public void stays(String workerId, String reason) {
        stays.add(workerId + ": " + reason);
    }

    @Override
    public void prepare(String workerId, List<ServerConfig> configs, Duration atMost) {
        configs.forEach(config -> prepared.add(workerId + " " + config.installationId()));
    }

    @Override
    public void close() {}
}
