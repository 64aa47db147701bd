package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of an installation, as users see it. Pure and not thread-safe: the supervisor's.
 *
 * <pre>
 *  first:    command_received ─▶ connecting ─▶ discovering_tools ─▶ syncing_tools ─▶ online
 *  restored:                     connecting ─▶ discovering_tools ─▶ online
 *  update:         restarting ─▶ connecting ─▶ discovering_tools ─▶ online
 *  recovery:  offline | error ─▶ connecting ─▶ discovering_tools ─▶ online
 *  crash:              online ─▶ connecting ─▶ discovering_tools ─▶ online
 *                                connecting ─▶ permanently_failed
 *  from anywhere: ─▶ error (could not start, or list its tools), offline (unreachable or stopped)
 * </pre>
 *
 * Dormant is no status: an online instance stays online while it has no process, and when a call
 * starts it again, also when that fails.
 *
 * <p>The same status is never told twice in a row. {@code syncing_tools} comes on the way of a
 * created installation's first discovery only.
 *
 * <p>Source: seeds/status-tracking.txt, "Status Lifecycle"; design/decisions.md, 10.
 */
final class StatusMachine {
    private @Nullable ServerStatus status;
    private @Nullable String message;
    private @Nullable Instant since;
    private boolean synced;

    /** No status yet; the tools of a created installation are not synced. */
    StatusMachine() {}

    /** Where a former owner left off. */
    StatusMachine(@Nullable ServerStatus status, @Nullable String message, boolean synced) {
        this.status = status;
        this.message = message;
        this.synced = synced;
    }

    @Nullable ServerStatus status() {
        return status;
    }

    @Nullable String message() {
        return message;
    }

    @Nullable Instant since() {
        return since;
    }

    boolean synced() {
        return synced;
    }

    /** The status that a configuration's arrival leads to, null when it leads to none. */
    @Nullable ServerStatus onConfigured(Cause cause, boolean known) {
        return switch (cause) {
            case CREATED -> {
                if (known) {
                    yield ServerStatus.RESTARTING;
                }
                synced = false;
                yield ServerStatus.COMMAND_RECEIVED;
            }
            case UPDATED, REDEPLOYED -> {
                synced |= !known;
                yield ServerStatus.RESTARTING;
            }
            case RESTORED -> {
                synced = true;
                yield known ? ServerStatus.RESTARTING : null;
            }
            case SPAWN -> null;
        };
    }

    /** Whether {@code syncing_tools} comes before {@code online}; true once. */
    boolean takeFirstSync() {
        boolean first = !synced;
        synced = true;
        return first;
    }

    /** Says more about the present status to those who look, without an event. */
    void explain(String more) {
        message = more;
    }

    /** Goes to a status: the event to tell, or null when it is the same as before. */
    @Nullable StatusChanged to(
            ServerStatus next,
            @Nullable String nextMessage,
            @Nullable String commandId,
            Instant now) {
        if (next == status) {
            return null;
        }
        var event = new StatusChanged(next, nextMessage, status, commandId);
        status = next;
        message = nextMessage;
        since = now;
        return event;
    }
}
