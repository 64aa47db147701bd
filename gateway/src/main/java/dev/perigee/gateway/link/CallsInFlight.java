package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.topic.OffsetRanges;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a session that have not ended, in the order in which they were made. One thread at a
 * time.
 */
final class CallsInFlight {
    private record Source(String topic, int partition) {
        static Source of(RecordOrigin origin) {
            return new Source(origin.topic(), origin.partition());
        }
    }

    private final Map<Long, LinkCall> calls = new LinkedHashMap<>();
    private final Map<RecordOrigin, LinkCall> requests = new HashMap<>();

    void add(LinkCall call) {
        calls.put(call.id(), call);
        var origin = call.executeOrigin();
        if (origin != null) {
            requests.put(origin, call);
        }
    }

    /** Whether it was there. */
    boolean remove(LinkCall call) {
        var origin = call.executeOrigin();
        if (origin != null) {
            requests.remove(origin, call);
        }
        return calls.remove(call.id()) != null;
    }

    /** The newest call that sends this request; null when there is none. */
    @Nullable LinkCall of(RecordOrigin request) {
        return requests.get(request);
    }

    int size() {
        return calls.size();
    }

    /**
     * Resolves what an attach answer resolves: a request that the worker accepted, whatever became
     * of it since, is accepted. All else is safe to send again, since the worker knows orders by
     * their origin and never accepted these requests.
     *
     * @return what to send again, in order
     */
    List<LinkCall> resume(Attach.Result attached) {
        var accepted = new HashMap<Source, OffsetRanges>();
        for (var record : attached.accepted()) {
            accepted.computeIfAbsent(Source.of(record.origin()), _ -> new OffsetRanges())
                    .add(record.origin().offset(), record.lastOffset());
        }
        var again = new ArrayList<LinkCall>();
        for (var call : calls.values()) {
            var origin = call.executeOrigin();
            if (origin != null && isAmong(accepted, origin)) {
                call.result(RawJson.EMPTY_OBJECT);
            } else if (!call.hasEnded()) {
                again.add(call);
            }
        }
        clear();
        again.forEach(this::add);
        return again;
    }

    private static boolean isAmong(Map<Source, OffsetRanges> accepted, RecordOrigin origin) {
        var offsets = accepted.get(Source.of(origin));
        return offsets != null && offsets.contains(origin.offset());
    }

    /** Takes all calls out. */
    List<LinkCall> drain() {
        var all = List.copyOf(calls.values());
        clear();
        return all;
    }

    private void clear() {
        calls.clear();
        requests.clear();
    }
}
