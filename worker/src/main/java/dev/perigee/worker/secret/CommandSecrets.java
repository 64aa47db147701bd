package dev.perigee.worker.secret;

import dev.perigee.worker.process.LaunchException;
import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.ProcessLauncher;
import dev.perigee.worker.process.Termination;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Secrets that a program of the operator's prints, one run for each. It runs outside of jails, as
 * the worker itself; runs are bounded in time and output.
 */
final class CommandSecrets implements SecretSource {
    private static final Logger log = LoggerFactory.getLogger(CommandSecrets.class);

    /** The worker's own settings are none of another program's business. */
    private static final String OWN = "PERIGEE_";

    private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration LONGEST_REUSE = Duration.ofDays(1);

    private final Path command;
    private final Duration timeout;
    private final Duration reuse;
    private final int parallel;
    private final ProcessLauncher launcher;
    private final Termination termination;
    private final Map<String, String> environment;
    private final AtomicLong mayLogNanos = new AtomicLong(System.nanoTime());

    CommandSecrets(
            Path command,
            SecretOptions options,
            ProcessLauncher launcher,
            Termination termination) {
        this.command = command;
        this.timeout = options.commandTimeout();
        boolean tooLong = options.commandReuse().compareTo(LONGEST_REUSE) > 0;
        this.reuse = tooLong ? LONGEST_REUSE : options.commandReuse();
        this.parallel = options.commandParallel();
        this.launcher = launcher;
        this.termination = termination;
        var inherited = new TreeMap<>(System.getenv());
        inherited.keySet().removeIf(name -> name.startsWith(OWN));
        this.environment = Map.copyOf(inherited);
    }

    @Override
    public Duration reuse() {
        return reuse;
    }

    @Override
    public int parallel() {
        return parallel;
    }

    @Override
    public Duration limit() {
        return timeout;
    }

    @Override
    public String read(SecretAddress address, long deadlineNanos)
            throws SecretException, InterruptedException {
        var limit = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
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
            var run = new ProviderRun();
            var failure = run.await(launcher, termination, spec, limit);
            if (failure != null) {
                throw SecretException.outage(address.name(), "secrets.command " + failure);
            }
            return SecretText.of(address.name(), run.printed());
        } catch (LaunchException e) {
            logInTime(e);
            throw SecretException.outage(
                    address.name(), "secrets.command cannot be run, see the worker's log");
        }
    }

    /** Once a minute at most: users decide how often it is tried. */
    private void logInTime(LaunchException failure) {
        long now = System.nanoTime();
        long from = mayLogNanos.get();
        if (now - from >= 0 && mayLogNanos.compareAndSet(from, now + LOG_PAUSE_NANOS)) {
            log.atError()
                    .addKeyValue("reason", failure.getMessage())
                    .log("secrets.command cannot be run");
        }
    }
}
