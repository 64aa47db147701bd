package dev.perigee.protocol.link;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.json.Require;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Taking a partition's session: {@code session/attach}, and leaving it: {@code session/detach}. */
public final class Attach {
    private Attach() {}

    /**
     * Attaches to a session, or creates it.
     *
     * @param partition the partition whose session it is
     * @param epoch offset of the gateway's claim in the state topic: the fencing token
     * @param gatewayId the gateway
     * @param generation number of the gateway's connection, growing within one gateway process
     * @param create whether to create the session when there is none; needs an epoch that is higher
     *     than any under which this worker had a session of the partition
     * @param cursors what this gateway already has; without one for a process the replay starts at
     *     the first retained entry
     * @param creditBytes how many bytes of events the worker may send before {@code
     *     session/credit}; an event counts as many as its whole frame has
     * @param leaseUntilMs when the gateway's lease of the partition ends, see {@link Lease}; null
     *     where an older version has none: the session goes on for as long as it is attached
     */
    public record Request(
            int partition,
            long epoch,
            String gatewayId,
            long generation,
            boolean create,
            List<Cursor> cursors,
            long creditBytes,
            @Nullable Long leaseUntilMs) {
        public Request {
            Require.id(gatewayId, "gateway_id");
            cursors = List.copyOf(Require.present(cursors, "cursors"));
        }
    }

    /**
     * The last entry of a process that the gateway has.
     *
     * @param processId the instance
     * @param startToken offset of the state record with the configuration that it ran
     * @param afterSeq number of that entry
     */
    public record Cursor(String processId, long startToken, long afterSeq) {}

    /**
     * Contents of the session; the replay of its journals follows on the same stream.
     *
     * @param resumed false when the session was created by this attach
     * @param createdEpoch the epoch that created the session: part of every event's id
     * @param processes the instances in the session
     * @param accepted the requests that it accepted and the gateway has not committed
     * @param ending true when the session was released: its processes are being ended, it takes
     *     nothing new, and {@link SessionNotice.Ended} follows once all it has said is acknowledged
     */
    public record Result(
            boolean resumed,
            long createdEpoch,
            List<AttachedProcess> processes,
            List<AcceptedRecord> accepted,
            @Nullable Boolean ending) {
        public Result {
            processes = List.copyOf(Require.present(processes, "processes"));
            accepted = List.copyOf(Require.present(accepted, "accepted"));
        }
    }

    /**
     * An instance in the session.
     *
     * @param processId the instance
     * @param startToken offset of the state record with the configuration that it runs
     * @param configHash fingerprint of that configuration
     * @param state of its process, an instance state in lower case
     * @param status of the installation, null before the first one
     * @param firstRetainedSeq number of the first entry that its journal still has
     * @param nextSeq the number the next entry of its journal will have
     * @param exitSeq not used, null
     * @param closedSeq not used, null
     */
    public record AttachedProcess(
            String processId,
            long startToken,
            @Nullable String configHash,
            String state,
            @Nullable ServerStatus status,
            long firstRetainedSeq,
            long nextSeq,
            @Nullable Long exitSeq,
            @Nullable Long closedSeq) {}

    /**
     * A request that the worker accepted, by the place it was read from, or a range of them.
     *
     * @param origin where the request was read, the first one of a range
     * @param state how far it came
     * @param last the last offset of a range that begins at the origin and has no gap; null for a
     *     single one
     * @param resume of one that runs: the {@link HeldQuestion} that it waits with, to go on from on
     *     another worker; null where it has none
     */
    public record AcceptedRecord(
            RecordOrigin origin, Progress state, @Nullable Long last, @Nullable RawJson resume) {
        /** One that waits with no question. */
        public AcceptedRecord(RecordOrigin origin, Progress state, @Nullable Long last) {
            this(origin, state, last, null);
        }

        /** A single one. */
        public AcceptedRecord(RecordOrigin origin, Progress state) {
            this(origin, state, null);
        }

        /** The last offset; the origin's own of a single one. */
        public long lastOffset() {
            return last == null ? origin.offset() : last;
        }
    }

    /** Progress of an accepted record. */
    public enum Progress {
        /** Its result will come as an event. */
        @JsonProperty("running")
        RUNNING,
        /** Its result is in the journal, not yet acknowledged: the replay brings it. */
        @JsonProperty("journalled")
        JOURNALLED,
        /** Its result was acknowledged: it is complete. */
        @JsonProperty("acked")
        ACKED
    }

    /**
     * Leaves a session.
     *
     * @param partition the partition whose session it is
     * @param epoch the epoch it was attached with
     * @param handOff true when another gateway is expected at once
     */
    public record Detach(int partition, long epoch, boolean handOff) {}

    /**
     * Asks for the worker's one place for an instance that starts alone, {@code session/trial}, or
     * gives it back. The place is kept until it is given back, the session ends or the time is up.
     *
     * @param partition the partition whose session asks
     * @param processId the instance that is to start; null to give the place back
     * @param atMostMs how long the place is kept at most, in milliseconds
     */
    public record Trial(int partition, @Nullable String processId, long atMostMs) {}

    /**
     * The answer to a trial.
     *
     * @param granted false when another instance of this worker has the place
     */
    public record TrialPlace(boolean granted) {}

    /**
     * Gives a session up for good, {@code session/release}, so that the partition can go elsewhere:
     * the worker ends its processes, and says {@link SessionNotice.Ended} when they are gone and
     * what they said is acknowledged. Asking again does no harm.
     *
     * @param partition the partition whose session it is
     * @param epoch the epoch it was attached with
     * @param onlyIdle true to leave everything as it is when a process lives or a request runs
     */
    public record Release(int partition, long epoch, boolean onlyIdle) {}

    /**
     * The answer to a release.
     *
     * @param ending whether the session now ends
     * @param processes instances that had a process, or were about to
     * @param requests requests that had no result
     */
    public record Released(boolean ending, int processes, int requests) {}
}
