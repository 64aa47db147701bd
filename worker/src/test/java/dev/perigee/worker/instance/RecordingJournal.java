package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.StatusChanged;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A journal that keeps everything in memory. */
final class RecordingJournal implements InstanceJournal {
    final List<EventBody> events = new CopyOnWriteArrayList<>();
    final List<ToolResult> results = new CopyOnWriteArrayList<>();
    final List<Long> pids = new CopyOnWriteArrayList<>();
    final Map<String, HeldQuestion> held = new ConcurrentHashMap<>();
    final List<String> handedOver = new CopyOnWriteArrayList<>();
    final AtomicLong expectedBytes = new AtomicLong();
    volatile boolean removed;
    volatile boolean full;
    volatile boolean usageHeld;
    volatile int protocol = LinkVersions.SPOKEN.greatest();
    volatile @Nullable RawJson durable;

    /** When given, it has what waits for acknowledgements, which are at once otherwise. */
    volatile @Nullable List<Runnable> unacknowledged;

    volatile @Nullable OutputValve valve;

    /** When given, whoever tells of a crash waits for it. */
    volatile @Nullable CountDownLatch crashTold;

    /** What happens while a call is about to be handed over, and when it just was. */
    volatile Runnable leaving = () -> {};

    volatile Runnable left = () -> {};

    @Override
    public long epoch() {
        return 7;
    }

    @Override
    public void identify(InstanceIdentity identity) {}

    @Override
    public void append(EventBody body, @Nullable Long pid, @Nullable RawJson newDurable) {
        if (removed) {
            throw new IllegalStateException("told after the removal: " + body);
        }
        if (newDurable != null) {
            durable = newDurable;
        }
        var latch = crashTold;
        if (latch != null && body instanceof EventBody.Crashed) {
            hold(latch);
        }
        pids.add(pid == null ? -1 : pid);
        events.add(body);
    }

    @Override
    public void append(
            EventBody body,
            @Nullable Long pid,
            @Nullable RawJson newDurable,
            Runnable acknowledged) {
        append(body, pid, newDurable);
        var waiting = unacknowledged;
        if (waiting == null) {
            acknowledged.run();
        } else {
            waiting.add(acknowledged);
        }
    }

    @Override
    public boolean reaches(EventType type) {
        return type.linkVersion() <= protocol;
    }

    @Override
    public void appendCallEvent(ToolOrder.Execute order, EventBody body, @Nullable Long pid) {
        if (result(order.request().requestId()) != null) {
            throw new IllegalStateException("told after the result: " + body);
        }
        events.add(body);
    }

    @Override
    public void appendNotice(EventBody body, @Nullable Long pid) {
        append(body, pid, null);
    }

    @Override
    public boolean appendQuestion(
            ToolOrder.Execute order,
            EventBody body,
            @Nullable Long pid,
            @Nullable HeldQuestion question) {
        if (full) {
            return false;
        }
        holds(order, question);
        appendCallEvent(order, body, pid);
        return true;
    }

    @Override
    public void holds(ToolOrder.Execute order, @Nullable HeldQuestion question) {
        if (question == null) {
            held.remove(order.request().requestId());
        } else {
            held.put(order.request().requestId(), question);
        }
    }

    @Override
    public void handOver(ToolOrder.Execute order) {
        left.run();
        handedOver.add(order.request().requestId());
    }

    @Override
    public boolean handsOver() {
        leaving.run();
        return protocol >= LinkVersions.RESUMED_CALLS;
    }

    @Override
    public boolean appendUsage(EventBody.Usage usage) {
        boolean taken = !usageHeld && reaches(usage.type());
        if (taken) {
            append(usage, null, null);
        }
        return taken;
    }

    private static void hold(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("held for ever");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void expect(long bytes) {
        expectedBytes.addAndGet(bytes);
    }

    @Override
    public void expectNoMore(long bytes) {
        expectedBytes.addAndGet(-bytes);
    }

    @Override
    public void appendResult(ToolOrder.Execute order, ToolResult result) {
        results.add(result);
    }

    @Override
    public void appendRemoved() {
        removed = true;
    }

    @Override
    public boolean acceptsCalls() {
        return !full;
    }

    @Override
    public void controls(OutputValve newValve) {
        valve = newValve;
    }

    <T extends EventBody> List<T> all(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    List<ServerStatus> statuses() {
        return all(StatusChanged.class).stream().map(StatusChanged::status).toList();
    }

    List<String> lines() {
        return all(EventBody.Logs.class).stream()
                .flatMap(logs -> logs.logs().stream())
                .map(EventBody.LogLine::message)
                .toList();
    }

    @Nullable ToolResult result(String requestId) {
        for (var result : results) {
            if (result.requestId().equals(requestId)) {
                return result;
            }
        }
        return null;
    }
}
