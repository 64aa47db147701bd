package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.command.CommandError;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Outcome;
import org.jspecify.annotations.Nullable;

/** Outcomes of orders. */
final class Outcomes {
    private Outcomes() {}

    static Outcome completed(String processId, @Nullable CommandDetails details) {
        return new Outcome(processId, CommandOutcome.COMPLETED, details, null);
    }

    static Outcome failed(
            String processId, @Nullable CommandDetails details, String code, String message) {
        return new Outcome(
                processId, CommandOutcome.FAILED, details, new CommandError(code, message));
    }

    static Outcome spawnFailed(String processId, ServerStatus status, String reason) {
        return failed(processId, CommandDetails.status(status, reason), "spawn_failed", reason);
    }

    static Outcome rejected(String processId, String code, String message) {
        return new Outcome(
                processId, CommandOutcome.REJECTED, null, new CommandError(code, message));
    }

    static Outcome notFound(String processId) {
        return failed(
                processId, null, "not_found", "There is no such instance here: configure it first");
    }

    static Outcome leaving(String processId) {
        return failed(
                processId,
                null,
                "unavailable",
                "This worker no longer runs the instance: the command runs on its next worker");
    }
}
