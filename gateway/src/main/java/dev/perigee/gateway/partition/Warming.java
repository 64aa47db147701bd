package dev.perigee.gateway.partition;

import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.RememberedStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/**
 * Has the worker that a partition is about to move to prepare the packages of its servers, while
 * they are served where they are. Bounded: what is not prepared by then is when they start. For the
 * owner's thread.
 */
final class Warming {
    /** Half of the time that a stopping worker waits for its partitions to leave. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** More than a partition is likely to have, and few among what a link carries. */
    private static final int MOST = 50;

    /** Programs that a worker replaces by the package that they would run. */
    private static final Set<String> WRAPPERS = Set.of("npx", "uvx");

    /** A larger one is prepared when it starts: the link has its orders to carry. */
    private static final int LARGEST = 64 << 10;

    private final PartitionContext context;
    private final Quarantine quarantine;

    Warming(PartitionContext context, Quarantine quarantine) {
        this.context = context;
        this.quarantine = quarantine;
    }

    /**
     * Runs what is to follow on the owner's thread, at once where there is nothing to prepare.
     *
     * @param held as for the choice of a host
     */
    void begin(LastHeld held, Runnable next) {
        var configs = configs();
        if (configs.isEmpty()
                || !(context.services().hosts().choose(context.partition(), null, held)
                        instanceof HostDecision.Place(var workerId))) {
            next.run();
            return;
        }
        Thread.ofVirtual()
                .name("warm-" + context.partition())
                .start(
                        () -> {
                            try {
                                context.services().links().prepare(workerId, configs, LIMIT);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            context.mailbox().post(next);
                        });
    }

    /**
     * Of what starts there at once. Of equal ones one; variables may name another registry, whose
     * packages are a user's own.
     */
    private List<ServerConfig> configs() {
        var distinct = new LinkedHashMap<List<Object>, ServerConfig>();
        for (var instance : context.state().instances()) {
            var config = instance.config();
            var command = config.command();
            if (command != null && WRAPPERS.contains(command) && starts(instance)) {
                var whose = config.env().isEmpty() ? "" : config.processId();
                distinct.putIfAbsent(List.of(command, config.args(), whose), config);
            }
        }
        return distinct.values().stream()
                .filter(config -> Json.write(config).length <= LARGEST)
                .limit(MOST)
                .toList();
    }

    /** Whether the next worker starts it, rather than have it known or asleep. */
    private boolean starts(DesiredInstance instance) {
        var remembered = context.state().runtime(instance.processId());
        return !instance.isStopped()
                && quarantine.of(instance) == null
                && !RememberedStatus.isAsleep(remembered, ConfigFingerprint.of(instance.config()));
    }
}
