package dev.perigee.worker.instance;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.secret.SecretException;
import dev.perigee.worker.secret.Secrets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Owner of what an instance's references stand for, whatever runs it. What was resolved once stays
 * masked as long as the instance is on its worker, over restarts and rotations: a server may quote
 * what it was given long ago. Of values that are not in use any more the newest are kept, {@value
 * #MOST_OLD_VALUES} and {@value #MOST_OLD_CHARACTERS} characters at most. A failure is kept for a
 * second, so that calls do not ask a provider that is away over and over. Safe for use by any
 * thread.
 */
final class InstanceSecrets {
    /** What one configuration may have, before two rotations; beside what it has now. */
    static final int MOST_OLD_VALUES = 2 * SecretReference.MOST;

    /** Three pairs: what is in use, and what a server may still quote. */
    private static final int MOST_TOKENS = 6;

    private static final int MOST_OLD_CHARACTERS = 64 << 10;
    private static final long KEPT_NANOS = Duration.ofSeconds(1).toNanos();

    /** Of one resolution: waiting in turn included; the provider has a limit of its own. */
    static final Duration LONGEST_ASK = Duration.ofMinutes(5);

    private final Secrets secrets;
    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashSet<String> values = new LinkedHashSet<>();
    private final LinkedHashSet<String> tokens = new LinkedHashSet<>();
    private @Nullable Failure failure;

    private record Failure(ServerConfig config, SecretException why, long atNanos) {}

    InstanceSecrets(Secrets secrets) {
        this.secrets = secrets;
    }

    /** How old values may be that a request over HTTP is sent with; zero asks for each. */
    Duration reuse() {
        return secrets.reuse();
    }

    /**
     * The configuration with values in place of its references, which are masked from now on.
     * Blocks, for {@link #LONGEST_ASK} at most.
     *
     * @throws SecretException when there is one without a value
     */
    ServerConfig resolve(ServerConfig config) throws SecretException, InterruptedException {
        try {
            var resolved = secrets.resolve(config, LONGEST_ASK);
            keep(config, resolved);
            return resolved;
        } catch (SecretException e) {
            lock.lock();
            try {
                failure = new Failure(config, e, System.nanoTime());
            } finally {
                lock.unlock();
            }
            throw e;
        }
    }

    /**
     * The same; a failure of less than a second ago is one still.
     *
     * @param ordered whether it is asked for anew also then
     */
    ServerConfig resolve(ServerConfig config, boolean ordered)
            throws SecretException, InterruptedException {
        var last = ordered ? null : lastFailure(config);
        if (last != null) {
            throw last;
        }
        return resolve(config);
    }

    /** Why this configuration could not be resolved less than a second ago; else null. */
    @Nullable SecretException lastFailure(ServerConfig config) {
        lock.lock();
        try {
            var last = failure;
            return last != null
                            && System.nanoTime() - last.atNanos() < KEPT_NANOS
                            && last.config().equals(config)
                    ? last.why()
                    : null;
        } finally {
            lock.unlock();
        }
    }

    /** Somebody may have mended it, and says so by an order. */
    void forgetFailure() {
        lock.lock();
        try {
            failure = null;
        } finally {
            lock.unlock();
        }
    }

    /** These are masked from now on, beside what references stand for; the newest are kept. */
    void rememberTokens(Collection<String> secret) {
        lock.lock();
        try {
            tokens.removeAll(secret); // The newest are last.
            tokens.addAll(secret);
            while (tokens.size() > MOST_TOKENS) {
                tokens.removeFirst();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Of all values that are kept, and of what these configurations have as plain text. */
    SecretMask mask(Collection<ServerConfig> configs) {
        List<String> kept;
        lock.lock();
        try {
            kept = Stream.concat(values.stream(), tokens.stream()).toList();
        } finally {
            lock.unlock();
        }
        return SecretMask.of(configs, kept);
    }

    private void keep(ServerConfig config, ServerConfig resolved) {
        lock.lock();
        try {
            var used = new HashSet<String>();
            keep(config.env(), resolved.env(), used);
            keep(config.headers(), resolved.headers(), used);
            keep(config.urlQueryParams(), resolved.urlQueryParams(), used);
            forgetEldest(used);
        } finally {
            lock.unlock();
        }
    }

    private void keep(
            Map<String, String> configured, Map<String, String> resolved, Set<String> used) {
        configured.forEach(
                (name, value) -> {
                    var secret = resolved.get(name);
                    if (secret != null && SecretReference.in(value) != null) {
                        values.remove(secret); // The newest are last.
                        values.add(secret);
                        used.add(secret);
                    }
                });
    }

    /** Those in use are the last ones, and bounded where they are resolved. */
    private void forgetEldest(Set<String> used) {
        int old = values.size() - used.size();
        long characters =
                values.stream().mapToLong(String::length).sum()
                        - used.stream().mapToLong(String::length).sum();
        var eldest = values.iterator();
        while (old > MOST_OLD_VALUES || characters > MOST_OLD_CHARACTERS) {
            characters -= eldest.next().length();
            old--;
            eldest.remove();
        }
    }

    @Override
    public String toString() {
        return "InstanceSecrets";
    }
}
