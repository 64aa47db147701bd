package dev.perigee.gateway.partition;

import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.link.SessionNotice.ProcessAck;
import dev.perigee.protocol.link.SessionNotice.ReplyTo;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Entries of one instance's journal at a worker, numbered from 0. For the test's thread. */
final class ScriptedJournal {
    private static final Duration MOMENT = Duration.ofMillis(100);

    private final OwnedPartition partition;
    private final String processId;
    private final long startToken;
    private long next;

    /**
     * @param startToken offset of the state record that the instance runs by
     */
    ScriptedJournal(OwnedPartition partition, String processId, long startToken) {
        this.partition = partition;
        this.processId = processId;
        this.startToken = startToken;
    }

    InstanceEvent entry(String type, String data, @Nullable String durable) {
        return entry(type, data, durable, null, null);
    }

    InstanceEvent entry(
            String type,
            String data,
            @Nullable String durable,
            @Nullable RecordOrigin origin,
            @Nullable ReplyTo reply) {
        return new InstanceEvent(
                0,
                processId,
                startToken,
                next++,
                type,
                "key",
                RawJson.of(data),
                durable == null ? null : RawJson.of(durable),
                origin,
                reply,
                null,
                null);
    }

    /** The server's answer to a request. */
    InstanceEvent result(String requestId, RecordOrigin origin) {
        return result(requestId, origin, null, "");
    }

    InstanceEvent result(
            String requestId, RecordOrigin origin, @Nullable ReplyTo reply, String text) {
        var result =
                new ToolResult(
                        ToolResult.EVENT,
                        requestId,
                        "t1",
                        "alice",
                        processId,
                        "s:echo",
                        ToolOutcome.SUCCESS,
                        RawJson.of("{\"text\":\"" + text + "\"}"),
                        null,
                        1,
                        1,
                        partition.now());
        return entry(
                EventType.TOOL_RESULT.wireName(), Json.raw(result).text(), null, origin, reply);
    }

    /**
     * Lets time go by until the worker has the acknowledgement of its entries up to this one, and
     * the credit that the owner sends after it.
     */
    void awaitAcknowledged(ScriptedSession session, long upTo) {
        TestWaits.until(
                "acknowledged up to " + upTo,
                () -> {
                    partition.later(MOMENT);
                    return session.acks.contains(new ProcessAck(processId, upTo));
                });
        partition.settle();
    }
}
