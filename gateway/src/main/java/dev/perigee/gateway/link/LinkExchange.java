package dev.perigee.gateway.link;

import dev.perigee.protocol.json.RawJson;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request that belongs to one connection and is waited for: hello, attach, detach. */
class LinkExchange implements AnswerHandler {
    /** How it ended. */
    sealed interface Answer {
        record Result(RawJson json) implements Answer {}

        record Refusal(int code, String message) implements Answer {}

        /** The connection closed first. */
        record Disconnected() implements Answer {}

        /** Nothing came in time. */
        record Silence() implements Answer {}
    }

    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile @Nullable Answer answer;

    @Override
    public void result(RawJson result) {
        end(new Answer.Result(result));
    }

    @Override
    public void failure(long generation, int code, String message) {
        end(new Answer.Refusal(code, message));
    }

    @Override
    public void disconnected() {
        end(new Answer.Disconnected());
    }

    final Answer await(Duration atMost) throws InterruptedException {
        var inTime = answered.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
        var ended = answer;
        return inTime && ended != null ? ended : new Answer.Silence();
    }

    private void end(Answer how) {
        answer = how;
        answered.countDown();
    }
}
