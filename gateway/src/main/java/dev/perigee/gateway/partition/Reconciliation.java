package dev.perigee.gateway.partition;

import dev.perigee.protocol.config.ConfigFingerprint;
import dev.perigee.protocol.link.Attach.AttachedProcess;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Difference between desired state and a session. A process without a configuration is being
 * removed, and its last events are still to come. An instance whose configuration is the worker's
 * already, by token or by fingerprint, is left alone, and so is one whose command has not ended:
 * that command brings it, be it read again or sent again. Pure.
 */
final class Reconciliation {
    private Reconciliation() {}

    static List<DesiredInstance> missing(PartitionState wanted, List<AttachedProcess> attached) {
        var processes = new HashMap<String, AttachedProcess>();
        for (var process : attached) {
            processes.merge(
                    process.processId(),
                    process,
                    (one, other) -> one.startToken() >= other.startToken() ? one : other);
        }
        return wanted.instances().stream()
                .filter(instance -> !isUnderWay(instance, wanted))
                .filter(instance -> !isThere(instance, processes.get(instance.processId())))
                .toList();
    }

    private static boolean isUnderWay(DesiredInstance instance, PartitionState wanted) {
        var command = wanted.command(instance.record().commandId());
        return command != null
                && command.outcome() == null
                && command.origin().equals(instance.record().origin());
    }

    private static boolean isThere(DesiredInstance instance, @Nullable AttachedProcess process) {
        return process != null
                && process.configHash() != null
                && (process.startToken() == instance.startToken()
                        || ConfigFingerprint.of(instance.config()).equals(process.configHash()));
    }
}
