package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The calls of a session that have not ended, in the order in which they were made. One thread at a
 * time.
 */
final class InFlight {
    private final Map<Long, LinkCall> calls = new LinkedHashMap<>();

    void add(LinkCall call) {
        calls.put(call.id(), call);
    }

    void remove(LinkCall call) {
        calls.remove(call.id());
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
        var accepted =
                attached.accepted().stream()
                        .map(Attach.AcceptedRecord::origin)
                        .collect(Collectors.toSet());
        var again = new ArrayList<LinkCall>();
        for (var call : calls.values()) {
            var origin = call.executeOrigin();
            if (origin != null && accepted.contains(origin)) {
                call.result(RawJson.EMPTY_OBJECT);
            } else if (!call.hasEnded()) {
                again.add(call);
            }
        }
        calls.keySet().retainAll(again.stream().map(LinkCall::id).collect(Collectors.toSet()));
        return again;
    }

    /** Takes all calls out. */
    List<LinkCall> drain() {
        var all = List.copyOf(calls.values());
        calls.clear();
        return all;
    }
}
