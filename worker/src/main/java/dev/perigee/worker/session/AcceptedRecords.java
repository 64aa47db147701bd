package dev.perigee.worker.session;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.topic.NumberMap;
import dev.perigee.protocol.topic.OffsetRanges;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests that a session accepted, by their origin and by their ids, so that none runs twice.
 * Acknowledged ones are kept as ranges: a million of them behind one that runs on cost as little as
 * two, here and in the answer to an attach. Beyond {@link #MOST_RANGES} ranges nothing new is taken
 * until the gateway has committed some. Pure; its owner holds a lock.
 *
 * <pre>
 *   offer ──▶ running ──finish──▶ journalled ──acknowledge──▶ acked ──commit──▶ forgotten
 *                └── withdraw (answered without asking a server) ─────────────▶ forgotten
 * </pre>
 */
final class AcceptedRecords {

    /** Verdict on an offered request. */
    sealed interface Verdict {
        /** It is new: run it. */
        record Run() implements Verdict {}

        /** It runs, or ran: its result comes, or came, as an event. Nothing to do. */
        record Known() implements Verdict {}

        /** Its id was answered under another origin: publish that result for this one too. */
        record Repeat(String processId, RawJson result) implements Verdict {}

        /** Its id was answered, but the result is not kept any more. */
        record Unrecalled() implements Verdict {}

        /** There is no room to remember its id: it is as if it had never come. */
        record NoRoom() implements Verdict {}
    }

    /** So many ranges are a third of a MiB in the answer to an attach, whose limit is 1 MiB. */
    static final int MOST_RANGES = 4_000;

    /**
     * Bytes of held questions in the answer to an attach: those that do not fit are left out, and
     * their calls do not outlive this worker together with the gateway that heard of them.
     */
    static final int MAX_HELD_BYTES = 256 << 10;

    private record Source(String topic, int partition) {
        RecordOrigin at(long offset) {
            return new RecordOrigin(topic, partition, offset);
        }
    }

    /** The requests of one source. */
    private static final class Offsets {
        private final NumberMap<Progress> open = new NumberMap<>();
        private final OffsetRanges acked = new OffsetRanges();

        @Nullable Progress progress(long offset) {
            return acked.contains(offset) ? Progress.ACKED : open.get(offset);
        }

        boolean isEmpty() {
            return open.isEmpty() && acked.isEmpty();
        }
    }

    private static final class Running {
        private final ToolOrder.Execute order;
        private final String key;
        private final List<ToolOrder.Execute> joined = new ArrayList<>(0);
        private @Nullable RawJson held;

        Running(ToolOrder.Execute order, String key) {
            this.order = order;
            this.key = key;
        }
    }

    private final Map<Source, Offsets> records = new HashMap<>();
    private final Map<RequestId, Running> running = new HashMap<>();
    private final RecentResults recent;

    AcceptedRecords(RecentResults recent) {
        this.recent = recent;
    }

    /** A request arrives. */
    Verdict offer(ToolOrder.Execute order, Instant now) {
        var origin = order.origin();
        var progress = progressOf(origin);
        var id = RequestId.of(order.request());
        if (progress == Progress.RUNNING || progress == Progress.JOURNALLED) {
            return new Verdict.Known();
        }
        var same = running.get(id);
        if (same != null) {
            same.joined.add(order);
            note(origin, Progress.RUNNING);
            return new Verdict.Known();
        }
        var key = id.text();
        var answer = recent.find(key, now);
        if (answer != null) {
            note(origin, Progress.JOURNALLED);
            return new Verdict.Repeat(answer.processId(), answer.result());
        }
        if (progress == Progress.ACKED || recent.contains(key, now)) {
            return new Verdict.Unrecalled();
        }
        if (!hasRoom(origin)) {
            return new Verdict.NoRoom();
        }
        if (!recent.reserve()) {
            recent.withdraw();
            return new Verdict.NoRoom();
        }
        note(origin, Progress.RUNNING);
        running.put(id, new Running(order, key));
        return new Verdict.Run();
    }

    /** A request that was to run needed no server: as if it had never come. */
    void withdraw(ToolOrder.Execute order) {
        if (running.remove(RequestId.of(order.request())) != null) {
            recent.withdraw();
        }
        var offsets = records.get(source(order.origin()));
        if (offsets != null) {
            var _ = offsets.open.remove(order.origin().offset());
        }
    }

    /**
     * A request has its result, which is being journalled.
     *
     * @return the repeats that came meanwhile, whose results are the same
     */
    List<ToolOrder.Execute> finish(
            ToolOrder.Execute order, String processId, RawJson result, Instant now) {
        var id = RequestId.of(order.request());
        var run = running.remove(id);
        if (run == null) {
            boolean _ = recent.reserve(); // It ran all the same.
        }
        var key = run == null ? id.text() : run.key;
        recent.remember(key, new RecentResults.Answer(processId, result), now);
        advance(order.origin(), Progress.JOURNALLED);
        if (run == null) {
            return List.of();
        }
        for (var repeat : run.joined) {
            advance(repeat.origin(), Progress.JOURNALLED);
        }
        return run.joined;
    }

    /** What a running request can go on from at another worker; null when it cannot. */
    void hold(ToolOrder.Execute order, @Nullable RawJson resume) {
        var run = running.get(RequestId.of(order.request()));
        if (run != null) {
            run.held = resume;
        }
    }

    /** A result is durable in Kafka. */
    void acknowledge(RecordOrigin origin) {
        advance(origin, Progress.ACKED);
    }

    /** Records of a topic below an offset will never be sent again. */
    void commit(String topic, int partition, long offset) {
        var source = new Source(topic, partition);
        var offsets = records.get(source);
        if (offsets != null) {
            offsets.open.removeBelow(offset);
            offsets.acked.removeBelow(offset);
            if (offsets.isEmpty()) {
                records.remove(source);
            }
        }
    }

    /** Forgets ids that may be used again. */
    void forgetOld(Instant now) {
        recent.forgetOld(now);
    }

    /** The session is over: its memory is free for others. */
    void end() {
        recent.end();
    }

    /** All that are remembered, for an attach answer. */
    List<AcceptedRecord> list() {
        var all = new ArrayList<AcceptedRecord>();
        var held = held();
        records.forEach(
                (source, offsets) -> {
                    offsets.open.forEach(
                            (offset, progress) -> {
                                var at = source.at(offset);
                                all.add(new AcceptedRecord(at, progress, null, held.get(at)));
                            });
                    offsets.acked.forEach(
                            (first, last) ->
                                    all.add(
                                            new AcceptedRecord(
                                                    source.at(first),
                                                    Progress.ACKED,
                                                    first.equals(last) ? null : last)));
                });
        return all;
    }

    private Map<RecordOrigin, RawJson> held() {
        var all = new HashMap<RecordOrigin, RawJson>();
        int left = MAX_HELD_BYTES;
        for (var run : running.values()) {
            var held = run.held;
            if (held != null && held.size() <= left) {
                left -= held.size();
                all.put(run.order.origin(), held);
            }
        }
        return all;
    }

    /** How many requests run. */
    int runningCount() {
        return running.size();
    }

    private boolean hasRoom(RecordOrigin origin) {
        var offsets = records.get(source(origin));
        return offsets == null || offsets.acked.count() < MOST_RANGES;
    }

    private @Nullable Progress progressOf(RecordOrigin origin) {
        var offsets = records.get(source(origin));
        return offsets == null ? null : offsets.progress(origin.offset());
    }

    private void note(RecordOrigin origin, Progress progress) {
        var offsets = records.computeIfAbsent(source(origin), _ -> new Offsets());
        offsets.acked.remove(origin.offset());
        offsets.open.put(origin.offset(), progress);
    }

    /** Changes what is remembered; what a commit made it forget stays forgotten. */
    private void advance(RecordOrigin origin, Progress progress) {
        var offsets = records.get(source(origin));
        if (offsets == null || !offsets.open.contains(origin.offset())) {
            return;
        }
        if (progress == Progress.ACKED) {
            var _ = offsets.open.remove(origin.offset());
            offsets.acked.add(origin.offset(), origin.offset());
        } else {
            offsets.open.put(origin.offset(), progress);
        }
    }

    private static Source source(RecordOrigin origin) {
        return new Source(origin.topic(), origin.partition());
    }
}
