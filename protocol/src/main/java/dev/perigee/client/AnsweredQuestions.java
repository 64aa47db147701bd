package dev.perigee.client;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolOutcome;
import dev.perigee.protocol.tool.ToolResult;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Questions of one call that is waited for, repeats left out: each is the handler's on a virtual
 * thread of its own, {@link #MOST} at most. Safe for use by any thread; {@link #take} does not
 * block.
 */
final class AnsweredQuestions implements AutoCloseable {
    /** A fleet publishes no more of one call. */
    static final int MOST = 100;

    private final InputHandler handler;
    private final Sender sender;
    private final Consumer<RuntimeException> failed;
    private final Map<String, Thread> threads = new HashMap<>();
    private boolean over;

    /** Way of the responses to the fleet; blocks until their own answer. */
    interface Sender {
        ToolResult respond(CallInputRequired question, RawJson responses)
                throws InterruptedException, TimeoutException;
    }

    /**
     * No question yet.
     *
     * @param failed what the handler or the sender throws before the end, on the question's thread
     */
    AnsweredQuestions(InputHandler handler, Sender sender, Consumer<RuntimeException> failed) {
        this.handler = handler;
        this.sender = sender;
        this.failed = failed;
    }

    /** An event of the call, of any type. */
    void take(EventBody event) {
        if (event instanceof CallInputRequired question) {
            begin(question);
        }
    }

    private synchronized void begin(CallInputRequired question) {
        if (!over && threads.size() < MOST && !threads.containsKey(question.inputId())) {
            var thread = Thread.ofVirtual().name("perigee-input").unstarted(() -> answer(question));
            threads.put(question.inputId(), thread);
            thread.start();
        }
    }

    private void answer(CallInputRequired question) {
        try {
            var responses = handler.answer(question);
            if (responses == null) {
                return;
            }
            var answer = sender.respond(question, responses);
            if (answer.outcome() != ToolOutcome.SUCCESS) {
                handler.refused(question, answer);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // The call has its answer.
        } catch (TimeoutException e) {
            // The question expires, and its call says so.
        } catch (RuntimeException e) {
            if (!isOver()) {
                failed.accept(e);
            }
        }
    }

    /** Whoever waits under the same id by then waits for another call, or anew for this one. */
    private synchronized boolean isOver() {
        return over;
    }

    /** Interrupts the handler: the call has its answer, or is not waited for any more. */
    @Override
    public synchronized void close() {
        over = true;
        threads.values().forEach(Thread::interrupt);
    }
}
