package dev.perigee.worker.session;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.worker.instance.InstanceIdentity;
import dev.perigee.worker.instance.InstanceJournal;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Writer of one instance's entries to its {@link ProcessJournal}. An instance that was removed and
 * installed again gets a new one, so that what the old one still reports carries the old identity.
 * Any thread may call; nothing blocks.
 */
final class JournalWriter implements InstanceJournal {
    private final Function<InstanceIdentity, ProcessJournal> reopen;
    private final EventFrames frames;
    private final SessionRequests requests;
    private final SessionMetrics metrics;
    private final LongSupplier epoch;
    private final IntSupplier protocol;
    private volatile InstanceIdentity identity;
    private volatile ProcessJournal journal;

    /**
     * A writer.
     *
     * @param reopen the journal that takes entries where the last one was retired
     * @param protocol the version of the link with the gateway that is attached, or was the last
     */
    JournalWriter(
            InstanceIdentity identity,
            ProcessJournal journal,
            Function<InstanceIdentity, ProcessJournal> reopen,
            EventFrames frames,
            SessionRequests requests,
            SessionMetrics metrics,
            LongSupplier epoch,
            IntSupplier protocol) {
        this.identity = identity;
        this.journal = journal;
        this.reopen = reopen;
        this.frames = frames;
        this.requests = requests;
        this.metrics = metrics;
        this.epoch = epoch;
        this.protocol = protocol;
    }

    @Override
    public long epoch() {
        return epoch.getAsLong();
    }

    @Override
    public boolean reaches(EventType type) {
        return type.linkVersion() <= protocol.getAsInt();
    }

    @Override
    public void identify(InstanceIdentity newer) {
        identity = newer;
        journal.identify(newer);
    }

    @Override
    public void append(EventBody body, @Nullable Long pid, @Nullable RawJson durable) {
        var about = identity;
        Journal.Encoder encoder = seq -> frames.event(about, seq, body, pid, durable);
        long lines = durable == null ? logLines(body) : 0;
        if (lines > 0) {
            write(to -> to.appendLog(encoder, new Journal.Output(lines, pid)));
        } else if (durable == null && body instanceof EventBody.RequestLogs logs) {
            var output = new Journal.Output(logs.requests().size(), pid);
            write(to -> to.appendOutput(encoder, output));
        } else {
            write(to -> to.append(encoder, null));
        }
        metrics.event(body);
    }

    @Override
    public void append(
            EventBody body, @Nullable Long pid, @Nullable RawJson durable, Runnable acknowledged) {
        var about = identity;
        write(
                to ->
                        to.appendAwaited(
                                seq -> frames.event(about, seq, body, pid, durable), acknowledged));
        metrics.event(body);
    }

    @Override
    public void appendCallEvent(ToolOrder.Execute order, EventBody body, @Nullable Long pid) {
        var about = identity;
        Journal.Encoder encoder = seq -> frames.call(about, seq, order, body, pid);
        long lines = body instanceof EventBody.CallLog ? 1 : 0;
        write(to -> to.appendIfRoom(encoder, lines));
        metrics.event(body);
    }

    @Override
    public void appendNotice(EventBody body, @Nullable Long pid) {
        var about = identity;
        write(to -> to.appendNotice(seq -> frames.event(about, seq, body, pid, null)));
        metrics.event(body);
    }

    @Override
    public boolean appendQuestion(
            ToolOrder.Execute order,
            EventBody body,
            @Nullable Long pid,
            @Nullable HeldQuestion held) {
        if (!journal.hasRoom()) {
            return false;
        }
        var about = identity;
        var resume = held == null ? null : Json.raw(held);
        // Noted before it is queued: an attach in between finds it in one of both.
        requests.hold(order, resume);
        write(to -> to.append(seq -> frames.question(about, seq, order, body, pid, resume), null));
        metrics.event(body);
        return true;
    }

    @Override
    public void holds(ToolOrder.Execute order, @Nullable HeldQuestion held) {
        requests.hold(order, held == null ? null : Json.raw(held));
    }

    @Override
    public void handOver(ToolOrder.Execute order) {
        requests.handOver(order);
    }

    @Override
    public boolean handsOver() {
        return protocol.getAsInt() >= LinkVersions.RESUMED_CALLS;
    }

    @Override
    public boolean appendUsage(EventBody.Usage usage) {
        if (!reaches(usage.type()) || journal.holdsUsage()) {
            return false;
        }
        var about = identity;
        write(to -> to.appendUsage(seq -> frames.event(about, seq, usage, null, null)));
        metrics.event(usage);
        return true;
    }

    private void write(Predicate<ProcessJournal> append) {
        while (!append.test(journal)) {
            journal = reopen.apply(identity);
        }
    }

    /** How many log lines an event stands for; only those may give way. */
    private static long logLines(EventBody body) {
        return switch (body) {
            case EventBody.Logs logs -> logs.logs().size();
            case EventBody.LogRateLimitExceeded exceeded -> exceeded.droppedLines();
            case EventBody.StatusChanged ignored -> 0;
            case EventBody.Started ignored -> 0;
            case EventBody.Crashed ignored -> 0;
            case EventBody.Restarted ignored -> 0;
            case EventBody.PermanentlyFailed ignored -> 0;
            case EventBody.Dormant ignored -> 0;
            case EventBody.Respawned ignored -> 0;
            case EventBody.Exited ignored -> 0;
            case EventBody.Stopped ignored -> 0;
            case EventBody.RequestLogs ignored -> 0;
            case EventBody.ToolsDiscovered ignored -> 0;
            case EventBody.Catalog ignored -> 0;
            case EventBody.Usage ignored -> 0;
            case EventBody.ToolsUpdated ignored -> 0;
            case EventBody.CallProgress ignored -> 0;
            case EventBody.CallLog ignored -> 0;
            case EventBody.CallInputRequired ignored -> 0;
            case EventBody.CallTask ignored -> 0;
            case EventBody.ResourceUpdated ignored -> 0;
            case EventBody.ListChanged ignored -> 0;
            case EventBody.Notification ignored -> 0;
            case EventBody.Subscriptions ignored -> 0;
            case EventBody.Authorization ignored -> 0;
        };
    }

    @Override
    public void expect(long bytes) {
        write(to -> to.expect(bytes));
    }

    @Override
    public void expectNoMore(long bytes) {
        journal.expectNoMore(bytes);
    }

    @Override
    public void appendResult(ToolOrder.Execute order, ToolResult result) {
        var data = frames.result(result);
        // Noted before it is queued: an acknowledgement that came in between would be overwritten.
        var repeats = requests.finish(order, identity.processId(), data);
        appendEncoded(order, data);
        repeats.forEach(repeat -> appendEncoded(repeat, data));
        metrics.call(result);
    }

    /** A result that is encoded already. */
    private void appendEncoded(ToolOrder.Execute order, RawJson data) {
        var about = identity;
        write(to -> to.append(seq -> frames.result(about, seq, order, data), order.origin()));
    }

    @Override
    public void appendRemoved() {
        var about = identity;
        write(to -> to.appendRemoved(seq -> frames.removed(about, seq)));
    }

    @Override
    public boolean acceptsCalls() {
        return journal.acceptsCalls();
    }

    @Override
    public void controls(OutputValve valve) {
        journal.control(valve);
    }
}
