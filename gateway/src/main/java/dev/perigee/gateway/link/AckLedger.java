package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The newest acknowledgement of each process and the newest commit of each topic. Both are
 * cumulative, and a notification may be lost with its connection: all are sent again after each
 * attach. One thread at a time.
 */
final class AckLedger {
    private final Map<String, Long> acked = new HashMap<>();
    private final Map<String, Long> committed = new HashMap<>();

    void ack(SessionNotice.Ack ack) {
        for (var process : ack.acks()) {
            acked.put(process.processId(), process.seq());
        }
    }

    void committed(String topic, long offset) {
        committed.merge(topic, offset, Math::max);
    }

    /** What to tell after an attach: of processes that are still there, what they did write. */
    List<SessionNotice.ProcessAck> acks(Attach.Result attached) {
        var told = new ArrayList<SessionNotice.ProcessAck>();
        for (var process : attached.processes()) {
            var seq = acked.get(process.processId());
            if (seq != null && seq < process.nextSeq()) {
                told.add(new SessionNotice.ProcessAck(process.processId(), seq));
            }
        }
        acked.clear();
        told.forEach(ack -> acked.put(ack.processId(), ack.seq()));
        return told;
    }

    Map<String, Long> committed() {
        return Map.copyOf(committed);
    }
}
