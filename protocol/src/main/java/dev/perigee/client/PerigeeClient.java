package dev.perigee.client;

import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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
 * Client of the contract: sends commands and tool requests and waits for their terminal results.
 * Thread-safe; calls block, which suits virtual threads. At most {@value #MOST_OPEN} are open at a
 * time, more wait within their deadlines. One client suffices for a backend: it has a producer, a
 * consumer and one platform thread.
 *
 * <p>A deadline that passes says nothing about whether the command or call ran: its result may come
 * later. To wait again send the same record: an id runs once, for ten minutes of a request and 24
 * hours of a command.
 *
 * <p>Once its consumer has failed every call ends with that failure, and after {@link #close()}
 * with {@link IllegalStateException}, and nothing is sent: make another client.
 */
public final class PerigeeClient implements AutoCloseable {
    private static final int MOST_OPEN = 10_000;

    /** Wait for the answer to responses. */
    private static final Duration RESPONSE = Duration.ofSeconds(30);

    private final RecordSender sender;
    private final Answers answers;
    private final List<Header> replyHeaders;
    private final Semaphore room = new Semaphore(MOST_OPEN);

    /** Of responses: all other room may be of the calls that wait for them. */
    private final Semaphore responseRoom = new Semaphore(MOST_OPEN);

    private PerigeeClient(RecordSender sender, Answers answers, List<Header> replyHeaders) {
        this.sender = sender;
        this.answers = answers;
        this.replyHeaders = replyHeaders;
    }

    /**
     * Connects, and reads everybody's answers from {@code tool-results}: right while the answers of
     * all backends together are few.
     *
     * @throws BrokerUnreachableException when no broker answers within {@link
     *     KafkaConnection#PATIENCE}
     * @throws MissingTopicException when a topic is not there
     * @throws KafkaRefusedException when a broker refuses, or the properties are not Kafka's
     */
    public static PerigeeClient connect(KafkaConnection connection) {
        return connect(connection, null);
    }

    /**
     * Connects, and asks for the answers to calls on a topic of the backend's own; errors as {@link
     * #connect(KafkaConnection)}.
     *
     * @param replies null for {@code tool-results}
     */
    public static PerigeeClient connect(KafkaConnection connection, @Nullable ReplyTopic replies) {
        return connect(
                connection,
                replies,
                replies == null ? connection.name(Topic.TOOL_RESULTS) : replies.name());
    }

    /**
     * Connects, and reads everybody's answers and call events, for calls with a listener. With a
     * reply topic {@link #connect(KafkaConnection, ReplyTopic)} is enough: events come there, too.
     * Errors as {@link #connect(KafkaConnection)}.
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

    /** Whether calls can end in an answer: not once its consumer has failed or it was closed. */
    public boolean isOpen() {
        return answers.isReading();
    }

    /**
     * Asks a server and waits for the terminal answer, whatever it is: a failed call is a result,
     * no exception.
     *
     * @param deadline how long to wait, in all; a little more than the request's own timeout
     * @throws TimeoutException when there is no answer in time; after up to {@code 2 *} {@link
     *     KafkaConnection#PATIENCE} more, in which the broker is asked whether it is there
     * @throws BrokerUnreachableException when there is none because no broker answers
     * @throws KafkaRefusedException when a broker refuses the record
     * @throws IllegalArgumentException when another thread waits for the same request id, or the
     *     record is larger than 17 MiB
     */
    public ToolResult call(ToolRequest request, Duration deadline)
            throws InterruptedException, TimeoutException {
        return call(request, deadline, _ -> {});
    }

    /**
     * The same, and hands over what the request accepts of the running call, {@link
     * EventBody.CallProgress}, {@link EventBody.CallLog}, {@link EventBody.CallTask} and {@link
     * CallInputRequired}, until the answer. An event may come twice after a failover, or after the
     * answer, where it is left out. Errors as {@link #call(ToolRequest, Duration)}, and what the
     * listener throws.
     *
     * @param deadline how long to wait; a little more than the request's own {@code maxTimeoutMs}
     *     where progress moves its deadline
     * @param listener called on the client's one reading thread, so it must not wait; what it
     *     throws ends the wait
     */
    public ToolResult call(ToolRequest request, Duration deadline, Consumer<EventBody> listener)
            throws InterruptedException, TimeoutException {
        return call(request, deadline, listener, room);
    }

    private ToolResult call(
            ToolRequest request, Duration deadline, Consumer<EventBody> listener, Semaphore within)
            throws InterruptedException, TimeoutException {
        var end = System.nanoTime() + deadline.toNanos();
        enter(within, end);
        try {
            var answer = answers.expectCall(request.requestId(), listener);
            try {
                sender.send(Topic.TOOL_REQUESTS, request.key(), request, replyHeaders);
                return await(answer, end);
            } finally {
                answers.forgetCall(request.requestId());
            }
        } finally {
            within.release();
        }
    }

    /**
     * The same, of a request that accepts {@code input}: the handler answers what its server asks.
     * Errors as {@link #call(ToolRequest, Duration, Consumer)}, and what the handler throws.
     *
     * @param deadline how long to wait, in all, with the time in which questions wait
     */
    public ToolResult call(
            ToolRequest request,
            Duration deadline,
            Consumer<EventBody> listener,
            InputHandler handler)
            throws InterruptedException, TimeoutException {
        try (var questions =
                new AnsweredQuestions(
                        handler,
                        (question, responses) ->
                                respond(request.key(), question, responses, RESPONSE),
                        failure -> answers.failCall(request.requestId(), failure))) {
            return call(
                    request,
                    deadline,
                    event -> {
                        listener.accept(event);
                        questions.take(event);
                    });
        }
    }

    /**
     * Answers a question of a running call, whoever waits for that, and waits until it is known
     * whether the responses count. Errors as {@link #call(ToolRequest, Duration)}. At most {@value
     * #MOST_OPEN} are open at a time, besides the calls.
     *
     * @param of the key of the call's request
     * @param responses an object with one response for each of the question's requests, under the
     *     same name; 1 MiB at most
     * @param deadline how long to wait, and how long the responses may be on their way
     * @return {@code success}, or {@code invalid_request} with the reason
     */
    public ToolResult respond(
            RecordKey of, CallInputRequired question, RawJson responses, Duration deadline)
            throws InterruptedException, TimeoutException {
        var request =
                ToolRequest.respond(
                        "input-" + UUID.randomUUID(),
                        of,
                        question.requestId(),
                        question.inputId(),
                        responses,
                        deadline.toMillis());
        return call(request, deadline.plus(KafkaConnection.PATIENCE), _ -> {}, responseRoom);
    }

    /**
     * Asks for the end of a running call, whoever waits for that, and returns when the broker has
     * the record: the call's own answer says how it ended, {@code cancelled} as a rule. Nothing
     * happens where there is no such call.
     *
     * @param of the key of the call's request
     * @throws BrokerUnreachableException when the broker did not take it in time
     * @throws KafkaRefusedException when a broker refuses the record
     */
    public void cancel(RecordKey of, String requestId) throws InterruptedException {
        sender.send(Topic.TOOL_REQUESTS, of, ToolRequest.cancel(requestId, of), replyHeaders);
    }

    /**
     * Sends a command and waits for its terminal result, whatever it is: a rejected command is a
     * result, no exception. Of a command for every user there is one result for all.
     *
     * @param deadline how long to wait, in all; a first start with its packages takes minutes
     * @throws TimeoutException when there is no result in time, as of a call
     * @throws BrokerUnreachableException when there is none because no broker answers
     * @throws KafkaRefusedException when a broker refuses the record
     * @throws IllegalArgumentException when another thread waits for the same command id, or the
     *     record is larger than 17 MiB
     * @throws dev.perigee.protocol.json.InvalidRecordException when it names no team
     */
    public CommandResult command(Command command, Duration deadline)
            throws InterruptedException, TimeoutException {
        var key = command.key();
        var end = System.nanoTime() + deadline.toNanos();
        enter(room, end);
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

    private static void enter(Semaphore within, long end)
            throws InterruptedException, TimeoutException {
        if (!within.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
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

    /**
     * Ends open calls with an {@link IllegalStateException}. Takes up to {@code 2 *} {@link
     * KafkaConnection#PATIENCE}.
     */
    @Override
    public void close() {
        answers.close();
        sender.close();
    }
}
