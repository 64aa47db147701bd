package dev.perigee.local.client;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Sends tool requests and waits for their answers, one at a time. */
public final class ToolCall implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);

    private final TopicTail results;
    private final RecordSender sender;

    /**
     * Prepares to call; the first request then costs no more than any other.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when a topic it needs is not there
     */
    public ToolCall(KafkaConnection connection) {
        results = TopicTail.open(connection, new TopicTail.Start.End(), Topic.TOOL_RESULTS);
        try {
            results.require(Topic.TOOL_REQUESTS);
            sender = new RecordSender(connection);
        } catch (RuntimeException e) {
            results.close();
            throw e;
        }
    }

    /**
     * Returns the answer, or null when there is none in time.
     *
     * @throws BrokerUnreachableException when no broker answers, also at the deadline
     */
    public @Nullable ToolResult call(ToolRequest request, Duration deadline)
            throws InterruptedException {
        var end = Instant.now().plus(deadline);
        var id = request.requestId().getBytes(StandardCharsets.UTF_8);
        sender.send(
                Topic.TOOL_REQUESTS, new RecordKey(request.teamId(), request.userId()), request);
        while (Instant.now().isBefore(end)) {
            for (var record : results.poll(POLL)) {
                if (Arrays.equals(record.key(), id) && record.value() != null) {
                    try {
                        return Json.read(record.value(), ToolResult.class);
                    } catch (InvalidRecordException ignored) {
                        // Somebody else used our random id for something that is no result.
                    }
                }
            }
        }
        results.check();
        return null;
    }

    @Override
    public void close() {
        sender.close();
        results.close();
    }
}
