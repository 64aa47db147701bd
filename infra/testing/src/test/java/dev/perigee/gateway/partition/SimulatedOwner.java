package dev.perigee.gateway.partition;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.link.WorkerView;
import dev.perigee.gateway.partition.OwnerTransitions.Ownership;
import dev.perigee.gateway.placement.HostDecision;
import dev.perigee.gateway.placement.LastHeld;
import dev.perigee.gateway.placement.RecordedHost;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One owner of a partition, as its table decides, for simulations that have both sides. For one
 * thread; a call that the table has no row for throws.
 */
public final class SimulatedOwner {
    private Ownership own;

    /** An owner that has not claimed yet. */
    public SimulatedOwner(LastHeld held) {
        this.own = Ownership.begun(held);
    }

    /** When gateways may have held the session last. */
    public LastHeld held() {
        return own.held();
    }

    /** Whether it waits for its claim. */
    public boolean isClaiming() {
        return own.stage() == OwnerStage.CLAIMING;
    }

    /** Whether its last session has ended, and it has not claimed since. */
    public boolean isPaused() {
        return own.stage() == OwnerStage.PAUSED;
    }

    /** Whether it waits for the record of its host. */
    public boolean isRecording() {
        return own.stage() == OwnerStage.RECORDING;
    }

    /** The pause is over: it claims. */
    public void due() {
        take(OwnerEvent.DUE, Instant.EPOCH);
    }

    /** Its claim is durable, and the state read. */
    public void claimed() {
        take(OwnerEvent.CLAIMED, Instant.EPOCH);
    }

    /** What it was about to do failed: it claims anew. */
    public void failed() {
        take(OwnerEvent.FAILED, Instant.EPOCH);
    }

    /**
     * Looks for a worker.
     *
     * @return the chosen one, null when there is none yet
     */
    public @Nullable RecordedHost look(
            HostDecision decision,
            @Nullable RecordedHost recorded,
            List<WorkerView> workers,
            Instant now) {
        take(OwnerEvent.LOOK, now);
        var before =
                recorded == null
                        ? null
                        : new StateRecord.Host(recorded.workerId(), recorded.incarnation());
        var choice = Choice.of(decision, before, workers, now);
        take(choice.event(), now);
        var host = choice.host();
        return host == null ? null : new RecordedHost(host.workerId(), host.incarnation());
    }

    /** The record of its host is durable. */
    public void recorded() {
        take(OwnerEvent.RECORDED, Instant.EPOCH);
    }

    /** The chosen worker is not there. */
    public void notThere() {
        take(OwnerEvent.NOT_THERE, Instant.EPOCH);
    }

    /** The worker attached its session, and got what it lacks. */
    public void attached() {
        take(OwnerEvent.ATTACHED, Instant.EPOCH);
        take(OwnerEvent.RECONCILED, Instant.EPOCH);
    }

    /** The connection is gone. */
    public void suspended() {
        take(OwnerEvent.SUSPENDED, Instant.EPOCH);
    }

    /**
     * The session ended.
     *
     * @param letGo until when this gateway may have had it
     * @return how long it waits before it claims again
     */
    public Duration lost(LinkFailure how, Instant letGo) {
        var pause = own.pause();
        take(OwnerEvent.of(how), letGo);
        return pause;
    }

    /** Its tenure ends. */
    public void over(boolean silenced) {
        take(silenced ? OwnerEvent.SILENCED : OwnerEvent.RELEASED, Instant.EPOCH);
    }

    private void take(OwnerEvent event, Instant letGo) {
        own = OwnerTransitions.next(own, event, letGo).after();
    }
}
