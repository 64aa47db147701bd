package dev.perigee.local.connect;

import dev.perigee.client.BrokerUnreachableException;
import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Calls on the fleet's topics, each on a virtual thread of its own: what comes of them goes into
 * the {@link Inbox}. A call that is cancelled is so behind its request, since its own thread writes
 * both. As many as its user begins. Safe for use by any thread; no method but {@link #end} blocks.
 */
final class FleetCalls {
    /** How long a response to a question may be on its way. */
    private static final Duration RESPONSE = Duration.ofSeconds(30);

    private final PerigeeClient client;
    private final RecordKey key;
    private final Inbox inbox;
    private final Consumer<String> note;
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    /** A call's thread, which is interrupted once at most, and not behind the end of its call. */
    private static final class Running {
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private @Nullable Thread thread;
        private boolean interruptible;

        synchronized void start(Thread itsThread) {
            thread = itsThread;
            interruptible = true;
            itsThread.start();
        }

        synchronized void interrupt() {
            if (interruptible && thread != null) {
                interruptible = false;
                thread.interrupt();
            }
        }

        /** On its own thread: nobody interrupts it any more. */
        synchronized void ends() {
            interruptible = false;
            var _ = Thread.interrupted();
        }
    }

    /**
     * No call yet.
     *
     * @param note takes what only a person can act on; for any thread
     */
    FleetCalls(PerigeeClient client, RecordKey key, Inbox inbox, Consumer<String> note) {
        this.client = client;
        this.key = key;
        this.inbox = inbox;
        this.note = note;
    }

    /** Begins a call. */
    void begin(ToolRequest request, Duration wait) {
        var call = new Running();
        running.put(request.requestId(), call);
        call.start(
                Thread.ofVirtual()
                        .name("perigee-connect-call")
                        .unstarted(() -> run(request, wait, call)));
    }

    private void run(ToolRequest request, Duration wait, Running call) {
        var id = request.requestId();
        Input input;
        try {
            input = ask(request, wait);
        } catch (InterruptedException | InterruptException e) {
            call.ends(); // Nobody waits, and the fleet is to be told.
            withdraw(id);
            input = new Input.Unanswered(id, "cancelled", "The call was cancelled");
        } finally {
            call.ends();
            running.remove(id);
            call.done.complete(null);
        }
        putLater(input);
    }

    private Input ask(ToolRequest request, Duration wait) throws InterruptedException {
        var id = request.requestId();
        try {
            return new Input.Answered(client.call(request, wait, this::happened));
        } catch (TimeoutException e) {
            return new Input.Unanswered(
                    id,
                    "no_answer",
                    "The fleet gave no answer in time, and the call may have run. Does a gateway"
                            + " run? Its /health/ready says");
        } catch (BrokerUnreachableException e) {
            return new Input.Unanswered(
                    id,
                    "broker_unreachable",
                    "No Kafka broker answers, and the call may have run: try again later");
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            return new Input.Unanswered(id, "refused", String.valueOf(e.getMessage()));
        }
    }

    /** On the client's one reading thread, which must not wait. */
    private void happened(EventBody event) {
        var input = new Input.Happened(event);
        if (!inbox.offer(input) && event instanceof CallInputRequired) {
            // The call waits for the answer: unlike progress it may not be left out.
            Thread.ofVirtual().name("perigee-connect-question").start(() -> putLater(input));
        }
    }

    private void putLater(Input input) {
        try {
            inbox.put(input);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void withdraw(String requestId) {
        try {
            client.cancel(key, requestId);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            note.accept("Call " + requestId + " could not be cancelled: " + e.getMessage());
        }
    }

    /** Cancels a call that runs; what comes of it still goes into the inbox. */
    void cancel(String requestId) {
        var call = running.get(requestId);
        if (call != null) {
            call.interrupt();
        }
    }

    /** Answers a question. */
    void respond(CallInputRequired question, RawJson responses) {
        Thread.ofVirtual().name("perigee-connect-response").start(() -> send(question, responses));
    }

    private void send(CallInputRequired question, RawJson responses) {
        var unheard = "A question of call " + question.requestId() + " is not answered: ";
        try {
            var answer = client.respond(key, question, responses, RESPONSE);
            var error = answer.error();
            if (answer.outcome() != ToolOutcome.SUCCESS) {
                note.accept(unheard + (error == null ? "no reason" : error.message()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            note.accept(unheard + "no answer in time");
        } catch (RuntimeException e) {
            note.accept(unheard + e.getMessage());
        }
    }

    /** Cancels all calls, and waits at most so long until the broker has that. */
    void end(Duration wait) {
        var all = List.copyOf(running.values());
        all.forEach(Running::interrupt);
        var done = all.stream().map(call -> call.done).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(done).get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            note.accept("Not all calls in flight could be cancelled in time");
        }
    }
}
