package dev.perigee.gateway.link;

import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a session says: one line a call, and the events. */
final class RecordingSessionListener implements SessionListener {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<SessionNotice.InstanceEvent> events = new CopyOnWriteArrayList<>();
    final List<Integer> credits = new CopyOnWriteArrayList<>();

    List<Long> seqs() {
        return events.stream().map(SessionNotice.InstanceEvent::seq).toList();
    }

    volatile OptionalLong heardAt = OptionalLong.empty();

    @Override
    public OptionalLong heardAt() {
        return heardAt;
    }

    @Override
    public void attached(Attach.Result result) {
        calls.add("attached");
    }

    @Override
    public void event(SessionNotice.InstanceEvent event, int creditBytes) {
        credits.add(creditBytes); // Tests wait for the event.
        events.add(event);
    }

    @Override
    public void suspended() {
        calls.add("suspended");
    }

    @Override
    public void fenced(long byEpoch) {
        calls.add("fenced " + byEpoch);
    }

    @Override
    public void lost(LinkFailure reason) {
        calls.add("lost " + reason);
    }
}
