package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.mcp.HttpTarget;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.TargetSource;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.secret.SecretException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Configuration of a server over HTTP with what its references stand for, asked for anew before
 * requests. There is one inquiry at a time, on a virtual thread of its own: whoever needs values
 * that are newer than its beginning waits for the next one, which serves all of them. No deadline
 * of a request ends an inquiry. Until a configuration with references is resolved, requests carry
 * what they did before, and so they do while the provider is away, unless the server refuses it.
 * Safe for use by any thread.
 */
final class HttpCredentials implements TargetSource {
    /** How long requests carry what the provider cannot be asked for again. */
    private static final Duration LONGEST_OUTAGE = Duration.ofHours(1);

    private static final Logger log = LoggerFactory.getLogger(HttpCredentials.class);

    /** What a client sends by itself may carry values of this age, and waits so long for newer. */
    private static final Duration RECENT = Duration.ofSeconds(1);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** Longest time for which refusals have nothing asked for, where more is reused. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private static final String REMOVED = "The server is being removed";

    private final LogContext about = LogContext.current();
    private final InstanceSecrets secrets;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile ServerConfig config;
    private volatile boolean refers;
    private volatile @Nullable HttpTarget target;
    private volatile SecretMask mask;

    /** The configuration that the target is of. */
    private ServerConfig used;

    /** When the inquiry began that the target is of; null where it is of another configuration. */
    private @Nullable Long askedNanos;

    /** When a server last refused the target's credentials. */
    private @Nullable Long refusedNanos;

    private @Nullable HttpTarget refused;

    /** When what requests carry was asked for. */
    private long takenNanos = System.nanoTime();

    /** Inquiries in a row that brought what the server had refused. */
    private int fruitless;

    /** The last inquiry found the provider away: nobody waits for the next. */
    private boolean away;

    private @Nullable Inquiry inquiry;
    private boolean over;

    /** A configuration that takes orders from now on. */
    HttpCredentials(ServerConfig config, InstanceSecrets secrets) {
        this.secrets = secrets;
        this.config = config;
        this.used = config;
        this.refers = config.refers();
        this.target = refers ? null : targetOf(config);
        this.mask = secrets.mask(List.of(config));
        secrets.forgetFailure();
    }

    private final class Inquiry implements Runnable {
        private final ServerConfig of;
        private final long beganNanos = System.nanoTime();

        /** With the reason for people where there are no values; null where to look again. */
        private final CompletableFuture<@Nullable String> done = new CompletableFuture<>();

        private final Thread thread;

        Inquiry(ServerConfig of) {
            this.of = of;
            this.thread =
                    Thread.ofVirtual()
                            .name("secrets-" + of.processId())
                            .unstarted(about.carriedBy(this));
        }

        @Override
        public void run() {
            @Nullable String failure = "The secrets could not be asked for: see the worker's log";
            try {
                failure = ask();
            } catch (RuntimeException e) {
                log.atError().setCause(e).log("Secrets could not be asked for");
            } finally {
                if (!ended(this)) {
                    failure = null; // It was of another configuration.
                }
                done.complete(failure);
            }
        }

        private @Nullable String ask() {
            try {
                taken(this, secrets.resolve(of));
                return null;
            } catch (SecretException e) {
                return failed(this, e) ? String.valueOf(e.getMessage()) : null;
            } catch (InterruptedException e) {
                return null; // Nobody wants it any more, or there is another configuration.
            }
        }
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
        return config;
    }

    /** Of all secrets that requests of the instance may have carried, the older ones included. */
    SecretMask mask() {
        return mask;
    }

    /** There are more secrets to mask. */
    void masksAnew() {
        lock.lock();
        try {
            mask = secrets.mask(List.of(config, used));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public HttpTarget get() {
        var now = target;
        if (now == null) {
            throw new IllegalStateException("Its secrets were not asked for yet");
        }
        return now;
    }

    @Override
    public boolean isRenewable() {
        return refers;
    }

    /** Requests carry this from now on; its references are resolved for the next one. */
    void reconfigure(ServerConfig next) {
        lock.lock();
        try {
            if (inquiry != null && !inquiry.of.equals(next)) {
                inquiry.thread.interrupt();
            }
            config = next;
            refers = next.refers();
            askedNanos = null;
            away = false;
            fruitless = 0;
            var now = target;
            if (!refers) {
                used = next;
                target = targetOf(next);
            } else if (now != null) {
                target = now.within(next.egressRules());
            }
            mask = secrets.mask(List.of(config, used));
        } finally {
            lock.unlock();
        }
        secrets.forgetFailure();
    }

    /** True when it was of the configuration that counts. */
    private boolean ended(Inquiry ended) {
        lock.lock();
        try {
            inquiry = null;
            return ended.of.equals(config);
        } finally {
            lock.unlock();
        }
    }

    /** False where requests go on with what they carried before. */
    private boolean failed(Inquiry from, SecretException why) {
        lock.lock();
        try {
            boolean counts = from.of.equals(config);
            boolean goesOn = counts && goesOn(why);
            if (counts && goesOn && !away) {
                about.on(log.atWarn())
                        .addKeyValue("process_id", config.processId())
                        .addKeyValue("reason", why.getMessage())
                        .log("Secrets cannot be asked for; requests carry those of before");
            }
            if (counts) {
                away = goesOn;
            }
            return !goesOn;
        } finally {
            lock.unlock();
        }
    }

    /** A server that takes what it was sent before is not kept from it by its provider. */
    private boolean goesOn(SecretException why) {
        return why.isOutage() && used.equals(config) && mayGoOn(target);
    }

    private boolean mayGoOn(@Nullable HttpTarget now) {
        return now != null
                && !now.equals(refused)
                && System.nanoTime() - takenNanos < LONGEST_OUTAGE.toNanos();
    }

    private void taken(Inquiry from, ServerConfig resolved) {
        lock.lock();
        try {
            if (!from.of.equals(config)) {
                return;
            }
            var next = targetOf(resolved);
            fruitless = next.equals(refused) ? fruitless + 1 : 0;
            used = config;
            away = false;
            askedNanos = from.beganNanos;
            takenNanos = from.beganNanos;
            if (!next.equals(target)) {
                mask = secrets.mask(List.of(config));
                target = next;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void renew(long deadlineNanos) throws McpException, InterruptedException {
        if (refers) {
            await(askedSince(secrets.reuse()), deadlineNanos);
        }
    }

    private static void await(CompletableFuture<HttpTarget> asked, long deadlineNanos)
            throws McpException, InterruptedException {
        long left = deadlineNanos - System.nanoTime();
        try {
            var _ = asked.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw McpException.lateCredentials();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof McpException why) {
                throw why;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public CompletableFuture<HttpTarget> renewed() {
        if (!refers) {
            return CompletableFuture.completedFuture(get());
        }
        var age = secrets.reuse().compareTo(RECENT) > 0 ? secrets.reuse() : RECENT;
        var asked = askedSince(age);
        return asked.isDone()
                ? CompletableFuture.completedFuture(get())
                : asked.orTimeout(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS)
                        .handle((_, _) -> get());
    }

    private CompletableFuture<HttpTarget> askedSince(Duration age) {
        return askedSince(System.nanoTime() - age.toNanos());
    }

    /** What was asked for at that time or later, and after it was refused; never blocks. */
    private CompletableFuture<HttpTarget> askedSince(long nanos) {
        Inquiry joined;
        lock.lock();
        try {
            var now = target;
            if (now != null && (!refers || isAskedSince(nanos))) {
                return CompletableFuture.completedFuture(now);
            }
            if (over) {
                return failed(REMOVED);
            }
            var failure = secrets.lastFailure(config);
            if (failure != null) {
                return now != null && goesOn(failure)
                        ? CompletableFuture.completedFuture(now)
                        : failed(String.valueOf(failure.getMessage()));
            }
            joined = inquiry;
            if (joined == null) {
                joined = new Inquiry(config);
                inquiry = joined;
                joined.thread.start();
            }
            if (away && now != null && mayGoOn(now)) {
                return CompletableFuture.completedFuture(now);
            }
        } finally {
            lock.unlock();
        }
        return joined.done.thenCompose(
                failure -> failure == null ? askedSince(nanos) : failed(failure));
    }

    private static CompletableFuture<HttpTarget> failed(String why) {
        return CompletableFuture.failedFuture(McpException.withoutCredentials(why));
    }

    private boolean isAskedSince(long nanos) {
        var asked = askedNanos;
        var since = refusedNanos;
        return asked != null
                && asked - nanos >= 0
                && (since == null || asked - since >= 0 || isTooSoon(asked));
    }

    /**
     * Whether a refusal is no reason to ask again yet: what was asked for because of the last ones
     * was the same, and is reused for a while.
     */
    private boolean isTooSoon(long asked) {
        return fruitless > 1 && System.nanoTime() - asked < pause().toNanos();
    }

    private Duration pause() {
        var most = secrets.reuse().compareTo(LONGEST_PAUSE) < 0 ? secrets.reuse() : LONGEST_PAUSE;
        var doubled = RECENT.multipliedBy(1L << Math.min(Math.max(0, fruitless - 2), 6));
        var pause = doubled.compareTo(most) < 0 ? doubled : most;
        return pause.compareTo(RECENT) < 0 ? RECENT : pause;
    }

    @Override
    public void refused(HttpTarget carried) {
        lock.lock();
        try {
            if (carried.equals(target)) {
                refused = carried;
                refusedNanos = System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks whatever is reused, though less and less often, whether there are other credentials by
     * now than the server refused last: from once a second to once a minute or within the reuse,
     * whichever is shorter. Blocks, until the deadline at most.
     */
    boolean differ(long deadlineNanos) throws InterruptedException {
        if (!refers) {
            return false;
        }
        Duration age;
        lock.lock();
        try {
            age = pause();
        } finally {
            lock.unlock();
        }
        try {
            await(askedSince(age), deadlineNanos);
        } catch (McpException e) {
            return false;
        }
        lock.lock();
        try {
            return !get().equals(refused);
        } finally {
            lock.unlock();
        }
    }

    /** Somebody may have changed them, and says so by an order: the next request asks anew. */
    void looksAnew() {
        lock.lock();
        try {
            fruitless = 0;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all requests for secrets, also the one that runs. */
    void close() {
        Inquiry last;
        lock.lock();
        try {
            over = true;
            last = inquiry;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.thread.interrupt();
        }
    }
}
