package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.TargetSource;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.secret.SecretException;
import dev.perigee.worker.secret.Secrets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a server over HTTP with what its references stand for, asked for anew before
 * requests. One thread at a time asks, others wait for it until their deadlines; who reads what is
 * there never waits. Safe for use by any thread.
 */
final class HttpCredentials implements TargetSource {
    /** Secrets of so many times are masked: an answer may quote those of an earlier request. */
    private static final int REMEMBERED = 4;

    private final Secrets secrets;
    private final ReentrantLock asking = new ReentrantLock();
    private final AtomicReference<Held> held;

    /**
     * A moment's credentials. Immutable.
     *
     * @param known whose values count as secrets, the newest first; with references where they were
     *     not resolved yet
     * @param askedNanos when the newest was resolved, null where that was for another configuration
     * @param refers whether there is anything to ask for
     */
    private record Held(
            ServerConfig config,
            List<ServerConfig> known,
            @Nullable Long askedNanos,
            boolean refers,
            HttpTarget target,
            SecretMask mask) {

        static Held of(ServerConfig config, List<ServerConfig> before) {
            var all = latest(config, before);
            boolean refers = !config.references().isEmpty();
            return new Held(config, all, null, refers, targetOf(config), SecretMask.of(all));
        }

        private static List<ServerConfig> latest(ServerConfig one, List<ServerConfig> before) {
            return Stream.concat(Stream.of(one), before.stream()).limit(REMEMBERED).toList();
        }

        /** With these values from now on. */
        Held with(ServerConfig values) {
            long now = System.nanoTime();
            if (values.equals(known.getFirst())) {
                return new Held(config, known, now, refers, target, mask);
            }
            var all = latest(values, known);
            return new Held(config, all, now, refers, targetOf(values), SecretMask.of(all));
        }

        boolean isNewerThan(Duration age) {
            return askedNanos != null && System.nanoTime() - askedNanos < age.toNanos();
        }
    }

    HttpCredentials(ServerConfig config, Secrets secrets) {
        this.secrets = secrets;
        this.held = new AtomicReference<>(Held.of(config, List.of()));
    }

    private static HttpTarget targetOf(ServerConfig config) {
        return new HttpTarget(
                config.url() == null ? "" : config.url(),
                config.headers(),
                config.urlQueryParams(),
                config.egressRules(),
                new Tenant(config.teamId(), config.userId()));
    }

    /** The configuration as it came, with its references. */
    ServerConfig config() {
        return held.get().config();
    }

    /** Of all secrets that requests of this client may have carried lately. */
    SecretMask mask() {
        return held.get().mask();
    }

    @Override
    public HttpTarget get() {
        return held.get().target();
    }

    /** Requests carry this from now on; its references are resolved for the next one. */
    void reconfigure(ServerConfig next) {
        var _ = held.updateAndGet(now -> Held.of(next, now.known()));
    }

    @Override
    public void renew(long deadlineNanos) throws McpException, InterruptedException {
        if (!held.get().refers()) {
            return;
        }
        if (!asking.tryLock(left(deadlineNanos), TimeUnit.NANOSECONDS)) {
            throw McpException.withoutCredentials(
                    "The secrets of this server were not had in time");
        }
        try {
            boolean done = false;
            while (!done) {
                done = renewed(deadlineNanos);
            }
        } catch (SecretException e) {
            throw McpException.withoutCredentials(String.valueOf(e.getMessage()));
        } finally {
            asking.unlock();
        }
    }

    /** False where the configuration is another one by now. */
    private boolean renewed(long deadlineNanos) throws SecretException, InterruptedException {
        var before = held.get();
        if (before.isNewerThan(secrets.reuse())) {
            return true;
        }
        var limit = Duration.ofNanos(left(deadlineNanos));
        return held.compareAndSet(before, before.with(secrets.resolve(before.config(), limit)));
    }

    private static long left(long deadlineNanos) {
        return Math.max(0, deadlineNanos - System.nanoTime());
    }
}
