package dev.perigee.worker.secret;

import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Tenant;
import dev.perigee.worker.process.TenantSlots;
import dev.perigee.worker.process.Termination;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Secrets that a program of the operator's prints, one run for each. It runs outside of jails, as
 * the worker itself; runs are bounded in time, output and number, and users take turns.
 */
final class CommandSecrets implements SecretSource {
    private static final Logger log = LoggerFactory.getLogger(CommandSecrets.class);

    /** The worker's own settings are none of another program's business. */
    private static final String OWN = "PERIGEE_";

    private final Path command;
    private final Duration timeout;
    private final Duration reuse;
    private final ProcessLauncher launcher;
    private final Termination termination;
    private final TenantSlots slots;
    private final Map<String, String> environment;

    CommandSecrets(
            Path command,
            SecretOptions options,
            ProcessLauncher launcher,
            Termination termination) {
        this.command = command;
        this.timeout = options.commandTimeout();
        this.reuse = options.commandReuse();
        this.launcher = launcher;
        this.termination = termination;
        this.slots = new TenantSlots(options.commandParallel());
        var inherited = new TreeMap<>(System.getenv());
        inherited.keySet().removeIf(name -> name.startsWith(OWN));
        this.environment = Map.copyOf(inherited);
    }

    @Override
    public Duration reuse() {
        return reuse;
    }

    @Override
    public String read(SecretAddress address, long deadlineNanos)
            throws SecretException, InterruptedException {
        var user = new Tenant(address.teamId(), address.userId());
        try (var slot = slots.acquire(user, false, left(deadlineNanos), () -> {})) {
            if (slot == null) {
                throw new SecretException(
                        address.name(),
                        "too many others are being asked for: try again later, or raise "
                                + SecretSettings.COMMAND_PARALLEL.key());
            }
            return run(address, deadlineNanos);
        }
    }

    private String run(SecretAddress address, long deadlineNanos)
            throws SecretException, InterruptedException {
        var left = left(deadlineNanos);
        var limit = left.compareTo(timeout) < 0 ? left : timeout;
        var spec =
                new LaunchSpec(
                        List.of(
                                command.toString(),
                                address.teamId(),
                                address.userId(),
                                address.name()),
                        environment,
                        null);
        try {
            var run = new CommandRun();
            var failure = run.await(launcher, termination, spec, limit);
            if (failure != null) {
                throw new SecretException(address.name(), "secrets.command " + failure);
            }
            return SecretText.of(address.name(), run.printed());
        } catch (LaunchException e) {
            log.atError()
                    .addKeyValue("reason", e.getMessage())
                    .log("secrets.command cannot be run");
            throw new SecretException(
                    address.name(), "secrets.command cannot be run, see the worker's log");
        }
    }

    private static Duration left(long deadlineNanos) {
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }
}
