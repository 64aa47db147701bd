package dev.perigee.worker.instance;

import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.QuestionResume;
import dev.perigee.worker.instance.CallInput.Fate;
import dev.perigee.worker.instance.CallInput.Request;
import dev.perigee.worker.mcp.ServerQuestion;
import dev.perigee.worker.tool.InputRequired;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One question of a modern server: nothing waits for it at the server, so that its responses may go
 * to another process than the one that asked. For the call's thread.
 */
final class ModernQuestion {
    private static final RawJson NO_ROOTS = RawJson.of("{\"roots\":[]}");

    /** Between two looks whether the call may still go on. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Map<String, RawJson> responses = new LinkedHashMap<>();
    private final Map<String, Request> requests = new LinkedHashMap<>();
    private final CompletableFuture<Map<String, RawJson>> answer = new CompletableFuture<>();

    /** Why it cannot be asked, for people; null where it can. */
    @Nullable String problem(InputRequired asked, ServerRun run) {
        if (asked.size() > CallInput.MAX_BYTES) {
            return "The server's question has %d bytes, more than %d"
                    .formatted(asked.size(), CallInput.MAX_BYTES);
        }
        for (var each : asked.requests().entrySet()) {
            var request = each.getValue();
            switch (request.method()) {
                case "roots/list" -> responses.put(each.getKey(), NO_ROOTS);
                case ServerQuestion.ELICIT, ServerQuestion.SAMPLE ->
                        requests.put(
                                each.getKey(), new Request(request.method(), request.params()));
                default -> {
                    return "The server asks for something that nobody answers";
                }
            }
            if (!run.masked(each.getKey()).equals(each.getKey())) {
                return "The server names its question by a secret";
            }
        }
        return null;
    }

    /** Asks, unless there is nothing to ask; false where that is not possible. */
    boolean ask(CallInput input, ServerRun run, @Nullable RawJson state, int rounds) {
        if (requests.isEmpty()) {
            answer.complete(Map.of());
            return true;
        }
        var next = new CallInput.NextRound(Map.copyOf(responses), state, rounds);
        return input.ask(requests, run::masked, run.pid(), next, new Answer()) != null;
    }

    /** Goes on with one that a worker that was lost has asked. */
    void resume(CallInput input, QuestionResume from) {
        responses.putAll(from.given());
        input.resume(from, new Answer());
    }

    private final class Answer implements CallInput.Asker {
        @Override
        public void answered(Map<String, RawJson> given) {
            answer.complete(given);
        }

        @Override
        public void unanswered(Fate why) {
            // Its call ends, by itself or by an interrupt.
        }
    }

    /**
     * Waits for the responses.
     *
     * @param over asked now and then, whether the call cannot go on
     * @return null when it is over
     * @throws InterruptedException when the call is cancelled, or nobody answers
     */
    @Nullable Map<String, RawJson> await(BooleanSupplier over) throws InterruptedException {
        while (!over.getAsBoolean()) {
            var given = look();
            if (given != null) {
                responses.putAll(given);
                return responses;
            }
        }
        return null;
    }

    private @Nullable Map<String, RawJson> look() throws InterruptedException {
        try {
            return answer.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
