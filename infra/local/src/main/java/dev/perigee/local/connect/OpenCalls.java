package dev.perigee.local.connect;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls in flight, by the client's id and by the fleet's: {@link #MOST} at most, of {@link
 * #MOST_BYTES} of parameters together. A call that the client has cancelled keeps its place until
 * the fleet was told. For one thread.
 */
final class OpenCalls {
    /** What a fleet runs of one user at a time, unless its operator says otherwise. */
    static final int MOST = 64;

    static final long MOST_BYTES = 32 << 20;

    /** One call. */
    static final class Call {
        private final RawJson id;
        private final ToolMethod method;
        private final String requestId;
        private final @Nullable RawJson progressToken;
        private final long bytes;
        private final Set<String> questions = new HashSet<>();
        private double lastProgress = Double.NEGATIVE_INFINITY;
        private boolean over;

        Call(
                RawJson id,
                ToolMethod method,
                String requestId,
                @Nullable RawJson progressToken,
                long bytes) {
            this.id = id;
            this.method = method;
            this.requestId = requestId;
            this.progressToken = progressToken;
            this.bytes = bytes;
        }

        RawJson id() {
            return id;
        }

        ToolMethod method() {
            return method;
        }

        String requestId() {
            return requestId;
        }

        /** Null where the client does not follow the progress. */
        @Nullable RawJson progressToken() {
            return progressToken;
        }

        /** Whether this is more than before: it may come twice after a failover. */
        boolean advances(double progress) {
            if (progress <= lastProgress) {
                return false;
            }
            lastProgress = progress;
            return true;
        }

        /** Whether the question is new: it may come twice, too. */
        boolean isNew(String inputId) {
            return questions.add(inputId);
        }
    }

    private final Map<RawJson, Call> byId = new HashMap<>();
    private final Map<String, Call> byRequest = new HashMap<>();
    private long bytes;

    boolean hasId(RawJson id) {
        return byId.containsKey(id);
    }

    /** False, and nothing is kept, where there is no room. */
    boolean begin(Call call) {
        if (byRequest.size() >= MOST || bytes + call.bytes > MOST_BYTES) {
            return false;
        }
        byId.put(call.id, call);
        byRequest.put(call.requestId, call);
        bytes += call.bytes;
        return true;
    }

    /** A call that its client waits for; null where there is none. */
    @Nullable Call running(String requestId) {
        var call = byRequest.get(requestId);
        return call == null || call.over ? null : call;
    }

    /** Removes a call that its client cancelled or left; null where there is none. */
    @Nullable Call leave(RawJson id) {
        var call = byId.remove(id);
        if (call != null) {
            call.over = true;
        }
        return call;
    }

    /** The fleet has ended a call: the call, or null where nobody waits for it. */
    @Nullable Call end(String requestId) {
        var call = byRequest.remove(requestId);
        if (call == null) {
            return null;
        }
        bytes -= call.bytes;
        if (call.over) {
            return null;
        }
        byId.remove(call.id);
        return call;
    }

    /** Those that the client waits for. */
    List<Call> all() {
        return new ArrayList<>(byId.values());
    }
}
