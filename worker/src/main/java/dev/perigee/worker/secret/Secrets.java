package dev.perigee.worker.secret;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;

/**
 * Resolver of the references of a configuration. A configuration without any costs nothing. Safe
 * for use by any thread; blocks, so it is called on threads of the callers' own.
 */
public final class Secrets {
    private final SecretSource source;

    private Secrets(SecretSource source) {
        this.source = source;
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
     * @param limit for all of them together
     * @throws SecretException for the first that has no value, or none in time
     */
    public ServerConfig resolve(ServerConfig config, Duration limit)
            throws SecretException, InterruptedException {
        var names = config.references();
        if (names.isEmpty()) {
            return config;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        var values = new HashMap<String, String>();
        for (var name : names) {
            var address = SecretAddress.of(config.teamId(), config.userId(), name);
            values.put(name, source.read(address, deadline));
        }
        return config.resolved(values);
    }

    /** How old values may be that a request over HTTP is sent with; zero asks for each. */
    public Duration reuse() {
        return source.reuse();
    }
}
