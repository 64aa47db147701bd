package dev.perigee.client;

import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.tool.ToolResult;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Dispatcher of results to their waiting callers, on a platform thread of its own. Results without
 * a waiting caller, repeats among them, are ignored. Thread-safe; holds as many futures as callers
 * wait. A failure of the consumer ends all of them, and those to come.
 */
final class Answers implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final TopicTail tail;
    private final String commandResults;
    private final Map<String, CompletableFuture<ToolResult>> calls = new ConcurrentHashMap<>();
    private final Map<String, Consumer<EventBody>> listeners = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<CommandResult>> commands =
            new ConcurrentHashMap<>();
    private final Queue<CompletableFuture<Boolean>> looks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;

    /**
     * @param tail of command-results and of where the answers to calls come; owned from now on
     * @param commandResults full name of that topic
     */
    Answers(TopicTail tail, String commandResults) {
        this.tail = tail;
        this.commandResults = commandResults;
        this.thread = Thread.ofPlatform().daemon().name("perigee-client").unstarted(this::read);
    }

    void start() {
        thread.start();
    }

    /** Whether answers can still come. */
    boolean isReading() {
        return failure == null && !closed;
    }

    /**
     * What a call's answer will be in; forget it by {@link #forgetCall}. Throws the failure of the
     * consumer where it has failed: what is asked then would run, and nobody would hear of it.
     *
     * @param listener of the events before that, called on the reading thread
     */
    CompletableFuture<ToolResult> expectCall(String requestId, Consumer<EventBody> listener) {
        var expected = expect(calls, requestId);
        listeners.put(requestId, listener);
        return expected;
    }

    /** Ends the wait for a call; nothing where nobody waits. */
    void failCall(String requestId, RuntimeException why) {
        var call = calls.get(requestId);
        if (call != null) {
            call.completeExceptionally(why);
        }
    }

    void forgetCall(String requestId) {
        listeners.remove(requestId);
        calls.remove(requestId);
    }

    /**
     * What a command's terminal result will be in; forget it by {@link #forgetCommand}. Throws as
     * {@link #expectCall}.
     */
    CompletableFuture<CommandResult> expectCommand(String commandId) {
        return expect(commands, commandId);
    }

    void forgetCommand(String commandId) {
        commands.remove(commandId);
    }

    private <T> CompletableFuture<T> expect(Map<String, CompletableFuture<T>> waiting, String id) {
        var future = new CompletableFuture<T>();
        if (waiting.putIfAbsent(id, future) != null) {
            throw new IllegalArgumentException("The id is waited for already: " + id);
        }
        var failed = failure;
        if (failed != null) {
            waiting.remove(id);
            throw failed;
        }
        return future;
    }

    /** Ends exceptionally when no broker answers. */
    CompletableFuture<Boolean> look() {
        var look = new CompletableFuture<Boolean>();
        looks.add(look);
        return look;
    }

    private void read() {
        try (tail) {
            while (!closed) {
                tail.poll(POLL).forEach(this::take);
                for (var look = looks.poll(); look != null; look = looks.poll()) {
                    answer(look);
                }
            }
            fail(ended());
        } catch (RuntimeException e) {
            fail(closed ? ended() : e);
        }
    }

    private static RuntimeException ended() {
        return new IllegalStateException("The client was closed");
    }

    private void answer(CompletableFuture<Boolean> look) {
        try {
            tail.check();
            look.complete(true);
        } catch (BrokerUnreachableException e) {
            look.completeExceptionally(e);
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null || record.value() == null) {
            return;
        }
        var id = new String(record.key(), StandardCharsets.UTF_8);
        try {
            if (record.topic().equals(commandResults)) {
                takeCommand(id, record.value());
            } else {
                var call = calls.get(id);
                if (call != null) {
                    takeOfCall(call, listeners.get(id), record);
                }
            }
        } catch (InvalidRecordException ignored) {
            // Written by something foreign: the true answer is still to come.
        }
    }

    private static void takeOfCall(
            CompletableFuture<ToolResult> call,
            @Nullable Consumer<EventBody> listener,
            ConsumerRecord<byte[], byte[]> record) {
        var header = record.headers().lastHeader(Headers.CE_TYPE);
        var type =
                header == null || header.value() == null
                        ? null
                        : EventType.of(new String(header.value(), StandardCharsets.UTF_8));
        if (type == null || type == EventType.TOOL_RESULT) {
            call.complete(Json.read(record.value(), ToolResult.class));
        } else if (type.topic() == Topic.CALL_EVENTS && listener != null && !call.isDone()) {
            var event = Event.read(record.value());
            try {
                listener.accept(event.body());
            } catch (RuntimeException e) {
                call.completeExceptionally(e);
            }
        }
    }

    private void takeCommand(String id, byte[] value) {
        var command = commands.get(id);
        if (command != null) {
            var result = Json.read(value, CommandResult.class);
            if (result.outcome() != CommandOutcome.ACKNOWLEDGED) {
                command.complete(result);
            }
        }
    }

    private void fail(RuntimeException why) {
        failure = why;
        calls.values().forEach(call -> call.completeExceptionally(why));
        commands.values().forEach(command -> command.completeExceptionally(why));
        looks.forEach(look -> look.completeExceptionally(why));
    }

    @Override
    public void close() {
        closed = true;
        tail.wakeup();
        try {
            thread.join(KafkaConnection.PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
