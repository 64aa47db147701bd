package dev.perigee.worker.instance;

import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.oauth.OAuthException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One question to an authorization server, on a virtual thread of its own. The outcome is told
 * unless the task is given up.
 */
final class OAuthTask implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(OAuthTask.class);

    private final String processId;
    private final Question question;
    private final Consumer<OAuthStep> told;
    private final Thread thread;
    private volatile @Nullable OAuthStep outcome;

    /** What is asked. */
    interface Question {
        OAuthStep ask() throws OAuthException, InterruptedException;
    }

    OAuthTask(String processId, Question question, Consumer<OAuthStep> told) {
        this.processId = processId;
        this.question = question;
        this.told = told;
        this.thread =
                Thread.ofVirtual()
                        .name("oauth-" + processId)
                        .unstarted(LogContext.current().carriedBy(this));
    }

    void begin() {
        thread.start();
    }

    void giveUp() {
        thread.interrupt();
    }

    /** The outcome, null where there is none so soon. */
    @Nullable OAuthStep await(Duration limit) throws InterruptedException {
        return thread.join(limit) ? outcome : null;
    }

    @Override
    public void run() {
        OAuthStep step;
        try {
            step = question.ask();
        } catch (OAuthException e) {
            step = new OAuthStep.Failed(String.valueOf(e.getMessage()), e.isFinal());
        } catch (InterruptedException e) {
            return; // Nobody wants it any more.
        } catch (RuntimeException e) {
            // Its message may quote what was sent.
            log.atError()
                    .addKeyValue("process_id", processId)
                    .addKeyValue("reason", e.getClass().getName())
                    .log("A step of OAuth failed unexpectedly");
            step = new OAuthStep.Failed("see the worker's log", true);
        }
        outcome = step;
        told.accept(step);
    }
}
