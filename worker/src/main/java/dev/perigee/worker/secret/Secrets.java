package dev.perigee.worker.secret;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.process.TenantSlots;
import dev.perigee.worker.process.Termination;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Resolver of the references of a configuration. One slot is held for all of them, in turn with
 * other teams and users; what they stand for is bounded in bytes, each use counted. A configuration
 * without any costs nothing. Safe for use by any thread; blocks, so it is called on threads of the
 * callers' own.
 */
public final class Secrets {
    /** Most that the references of one configuration stand for, in bytes, each use counted. */
    static final int MOST_BYTES = 256 << 10;

    private final SecretSource source;
    private final TenantSlots slots;

    Secrets(SecretSource source) {
        this.source = source;
        this.slots = new TenantSlots(source.parallel());
    }

    /**
     * The provider that the options say; launcher and termination stay the caller's to close.
     *
     * @param launcher runs the provider's program, if it is one
     */
    public static Secrets of(
            SecretOptions options, ProcessLauncher launcher, Termination termination) {
        var command = options.command();
        return command == null
                ? inFiles(options.directory())
                : new Secrets(new CommandSecrets(command, options, launcher, termination));
    }

    /** Secrets of files below a directory, which need not be there. */
    public static Secrets inFiles(Path directory) {
        return new Secrets(new FileSecrets(directory));
    }

    /**
     * The configuration with values in place of its references, as they are now.
     *
     * @param limit for waiting in turn and all of them together
     * @throws SecretException for the first that has no value, or none in time; or for all where
     *     they are too many or too large
     */
    public ServerConfig resolve(ServerConfig config, Duration limit)
            throws SecretException, InterruptedException {
        if (!config.refers()) {
            return config;
        }
        var uses = new TreeMap<String, Long>();
        config.referring().forEach(name -> uses.merge(name, 1L, Long::sum));
        if (uses.values().stream().mapToLong(Long::longValue).sum() > SecretReference.MOST) {
            throw SecretException.ofAll(
                    "there are more than " + SecretReference.MOST + " references");
        }
        long deadline = System.nanoTime() + limit.toNanos();
        var user = new Tenant(config.teamId(), config.userId());
        try (var slot = slots.acquire(user, false, limit, () -> {})) {
            if (slot == null) {
                throw SecretException.outageOfAll(
                        "those of too many others are being asked for: try again later");
            }
            long end = System.nanoTime() + source.limit().toNanos();
            return config.resolved(values(user, uses, end - deadline < 0 ? end : deadline));
        }
    }

    private Map<String, String> values(Tenant user, Map<String, Long> uses, long deadlineNanos)
            throws SecretException, InterruptedException {
        var values = new HashMap<String, String>();
        long bytes = 0;
        for (var use : uses.entrySet()) {
            var name = use.getKey();
            var address = SecretAddress.of(user.teamId(), user.userId(), name);
            var value = source.read(address, deadlineNanos);
            bytes += use.getValue() * value.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MOST_BYTES) {
                throw SecretException.ofAll(
                        "they have more than 256 KiB together, each use counted");
            }
            values.put(name, value);
        }
        return values;
    }

    /** How old values may be that a request over HTTP is sent with; zero asks for each. */
    public Duration reuse() {
        return source.reuse();
    }
}
