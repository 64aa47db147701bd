package dev.perigee.client;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands and tool requests and waits for what comes back. Calls block; any number of
 * threads, virtual ones too, may call at once, up to {@value #MOST_OPEN} open at a time. One for a
 * backend: it has a producer and a consumer.
 *
 * <p>A deadline that passes says nothing about whether the command or call ran: its result may come
 * later. To wait again send the same record: a fleet runs one id only once.
 */
public final class PerigeeClient implements AutoCloseable {
    private static final int MOST_OPEN = 10_000;

    private final RecordSender sender;
    private final Answers answers;
    private final List<Header> replyHeaders;
    private final Semaphore room = new Semaphore(MOST_OPEN);

    private PerigeeClient(RecordSender sender, Answers answers, List<Header> replyHeaders) {
        this.sender = sender;
        this.answers = answers;
        this.replyHeaders = replyHeaders;
    }

    /**
     * Connects, and reads everybody's answers from tool-results. Simple, and right while the
     * answers of all backends together are not many.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when a topic is not there
     */
    public static PerigeeClient connect(KafkaConnection connection) {
        return connect(connection, null);
    }

    /** Connects, and asks for the answers to calls on a topic of the backend's own. */
    public static PerigeeClient connect(KafkaConnection connection, @Nullable ReplyTopic replies) {
        return connect(
                connection,
                replies,
                replies == null ? connection.name(Topic.TOOL_RESULTS) : replies.name());
    }

    /**
     * Connects, and reads everybody's answers and call events, for calls with a listener. With a
     * reply topic {@link #connect(KafkaConnection, ReplyTopic)} is enough: events come there, too.
     *
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws MissingTopicException when a topic is not there
     */
    public static PerigeeClient connectWithEvents(KafkaConnection connection) {
        return connect(
                connection,
                null,
                connection.name(Topic.TOOL_RESULTS),
                connection.name(Topic.CALL_EVENTS));
    }

    private static PerigeeClient connect(
            KafkaConnection connection, @Nullable ReplyTopic replies, String... read) {
        var commandResults = connection.name(Topic.COMMAND_RESULTS);
        var names = new ArrayList<>(List.of(read));
        names.add(commandResults);
        var tail = TopicTail.ofNames(connection, new TopicTail.Start.End(), names);
        try {
            tail.require(Topic.COMMANDS);
            tail.require(Topic.TOOL_REQUESTS);
            var sender = new RecordSender(connection);
            var answers = new Answers(tail, commandResults);
            answers.start();
            return new PerigeeClient(sender, answers, headers(replies));
        } catch (RuntimeException e) {
            tail.close();
            throw e;
        }
    }

    private static List<Header> headers(@Nullable ReplyTopic replies) {
        if (replies == null) {
            return List.of();
        }
        var topic =
                new RecordHeader(
                        Headers.REPLY_TOPIC, replies.name().getBytes(StandardCharsets.UTF_8));
        var partition = replies.partition();
        return partition == null
                ? List.of(topic)
                : List.of(
                        topic,
                        new RecordHeader(
                                Headers.REPLY_PARTITION,
                                ByteBuffer.allocate(Integer.BYTES).putInt(partition).array()));
    }

    /**
     * Asks a server and waits for the terminal answer, whatever it is.
     *
     * @param deadline how long to wait; a little more than the request's own timeout
     * @throws TimeoutException when there is no answer in time
     * @throws BrokerUnreachableException when there is none because no broker answers
     * @throws IllegalArgumentException when another thread waits for the same request id
     */
    public ToolResult call(ToolRequest request, Duration deadline)
            throws InterruptedException, TimeoutException {
        return call(request, deadline, _ -> {});
    }

    /**
     * The same, and hands over what the request accepts of the running call, {@link
     * dev.perigee.protocol.event.EventBody.CallProgress} and {@link
     * dev.perigee.protocol.event.EventBody.CallLog}, until the answer. An event may come twice
     * after a failover, or after the answer, where it is left out.
     *
     * @param deadline how long to wait; a little more than the request's own {@code maxTimeoutMs}
     *     where progress moves its deadline
     * @param listener called on the client's one reading thread, so it must not wait; what it
     *     throws ends the wait
     */
    public ToolResult call(ToolRequest request, Duration deadline, Consumer<EventBody> listener)
            throws InterruptedException, TimeoutException {
        var end = System.nanoTime() + deadline.toNanos();
        enter(end);
        try {
            var answer = answers.expectCall(request.requestId(), listener);
            try {
                sender.send(Topic.TOOL_REQUESTS, request.key(), request, replyHeaders);
                return await(answer, end);
            } finally {
                answers.forgetCall(request.requestId());
            }
        } finally {
            room.release();
        }
    }

    /**
     * Sends a command and waits for its terminal result, whatever it is. Of a command for every
     * user there is one result for all.
     *
     * @throws TimeoutException when there is no result in time
     * @throws BrokerUnreachableException when there is none because no broker answers
     * @throws dev.perigee.protocol.json.InvalidRecordException when it says no team
     */
    public CommandResult command(Command command, Duration deadline)
            throws InterruptedException, TimeoutException {
        var key = command.key();
        var end = System.nanoTime() + deadline.toNanos();
        enter(end);
        try {
            var result = answers.expectCommand(command.id());
            try {
                sender.send(Topic.COMMANDS, key, command, List.of());
                return await(result, end);
            } finally {
                answers.forgetCommand(command.id());
            }
        } finally {
            room.release();
        }
    }

    private void enter(long end) throws InterruptedException, TimeoutException {
        if (!room.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException(MOST_OPEN + " others were open until the deadline");
        }
    }

    private <T> T await(CompletableFuture<T> answer, long end)
            throws InterruptedException, TimeoutException {
        try {
            return answer.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (TimeoutException e) {
            requireBroker();
            throw e;
        }
    }

    private void requireBroker() throws InterruptedException, TimeoutException {
        try {
            answers.look().get(2 * KafkaConnection.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private static RuntimeException failure(ExecutionException e) {
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException(e.getCause());
    }

    /** Ends what is waited for with an {@link IllegalStateException}. */
    @Override
    public void close() {
        answers.close();
        sender.close();
    }
}
