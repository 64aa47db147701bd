package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandAction.Check;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.worker.instance.StatusTrigger.CallFailed;
import dev.perigee.worker.instance.StatusTrigger.CheckFailed;
import dev.perigee.worker.instance.StatusTrigger.Configured;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The status of an installation, as users see it: what {@link StatusTrigger each trigger} leads to.
 * Pure and not thread-safe: the supervisor's.
 *
 * <pre>
 *  first:    command_received ─▶ connecting ─▶ discovering_tools ─▶ syncing_tools ─▶ online
 *  restored:                     connecting ─▶ discovering_tools ─▶ online
 *  restored, asleep:             connecting ─▶ online
 *  update:         restarting ─▶ connecting ─▶ discovering_tools ─▶ online
 *  restart:        restarting ─▶ connecting ─▶ discovering_tools ─▶ online
 *  recovery:  offline | error ─▶ connecting ─▶ discovering_tools ─▶ online
 *  user acted: requires_reauth ─▶ connecting ─▶ discovering_tools ─▶ online
 *
 *  start or discovery failed:  connecting | discovering_tools ─▶ error | offline | requires_reauth
 *  call failed (HTTP):         online | offline | error ─▶ error | offline | requires_reauth
 *  connectivity check failed:  online ─▶ offline, any settled ─▶ requires_reauth
 *  credentials refused:        any settled ─▶ requires_reauth
 *  crashed:                    any ─▶ connecting, the last time ─▶ permanently_failed
 *  stopped by intent:          any ─▶ offline
 *  ended, its output lost:     any ─▶ error
 *  quarantined:                any ─▶ error
 * </pre>
 *
 * {@code requires_reauth} and {@code permanently_failed} are left by orders only: what a server
 * answers, or fails to, does not move them.
 *
 * <p>Dormant is no status: an online instance stays online while it has no process, and when a call
 * starts it again, also when that fails.
 *
 * <p>The same status is never reported twice in a row, but for {@code error} of a quarantined
 * server whose message is another. {@code syncing_tools} comes on the way of a created
 * installation's first discovery only.
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

    /** True in a status that lasts until something happens. */
    boolean isSettled() {
        return status != null && !status.isTransitional();
    }

    /** True in a status that only the user can end. */
    boolean needsItsUser() {
        return status == ServerStatus.REQUIRES_REAUTH || status == ServerStatus.PERMANENTLY_FAILED;
    }

    /** Says more about the present status to those who look, without an event. */
    void explain(String more) {
        message = more;
    }

    /** Follows a trigger: the event to publish, or null when the status stays as it is. */
    @Nullable StatusChanged on(
            StatusTrigger trigger,
            @Nullable String nextMessage,
            @Nullable String commandId,
            Instant now) {
        var next = next(trigger);
        if (next == null || (next == status && !isNews(trigger, nextMessage))) {
            return null;
        }
        var event = new StatusChanged(next, nextMessage, status, commandId);
        status = next;
        message = nextMessage;
        since = now;
        return event;
    }

    /** Whether the same status is reported again: what a quarantined server waits for changed. */
    private boolean isNews(StatusTrigger trigger, @Nullable String nextMessage) {
        return trigger == Step.QUARANTINED && !Objects.equals(message, nextMessage);
    }

    /** Where a trigger leads, null when nowhere. */
    private @Nullable ServerStatus next(StatusTrigger trigger) {
        return switch (trigger) {
            case Configured(var cause, var known, var stopped) -> {
                var next = next(cause, known);
                yield stopped ? null : next;
            }
            case StartFailed(var found) -> found;
            case CallFailed(var found) -> isSettled() && !needsItsUser() ? found : null;
            case CheckFailed failed -> next(failed);
            case Step step -> next(step);
        };
    }

    private @Nullable ServerStatus next(Step step) {
        return switch (step) {
            case RESTART_ORDERED -> ServerStatus.RESTARTING;
            case STOPPED -> ServerStatus.OFFLINE;
            case CONNECTS, CRASHED -> ServerStatus.CONNECTING;
            case DISCOVERS -> status == ServerStatus.ONLINE ? null : ServerStatus.DISCOVERING_TOOLS;
            case LISTED -> {
                boolean first = !synced;
                synced = true;
                yield first ? ServerStatus.SYNCING_TOOLS : null;
            }
            case READY -> ServerStatus.ONLINE;
            case ANSWERED ->
                    status == ServerStatus.OFFLINE || status == ServerStatus.ERROR
                            ? ServerStatus.CONNECTING
                            : null;
            case CRASHED_FOR_GOOD -> ServerStatus.PERMANENTLY_FAILED;
            case OUTPUT_LOST, QUARANTINED -> ServerStatus.ERROR;
        };
    }

    private @Nullable ServerStatus next(Cause cause, boolean known) {
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

    /** That the user must authorize counts always; all else only where calls seemed to work. */
    private @Nullable ServerStatus next(CheckFailed failed) {
        if (failed.found() == ServerStatus.REQUIRES_REAUTH) {
            return isSettled() && !needsItsUser() ? failed.found() : null;
        }
        boolean reached = failed.check() == Check.CREDENTIAL_VALIDATION;
        return !reached && status == ServerStatus.ONLINE ? ServerStatus.OFFLINE : null;
    }
}
