package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.CallInputRequired;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.worker.log.MaskedJson;
import dev.perigee.worker.mcp.JsonMembers;
import dev.perigee.worker.tool.InputResponses;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Questions of one running call, each until its one end; while one is open the call's deadline
 * stands still. Safe for use by any thread; never blocks.
 *
 * <pre>
 *   asked ──▶ open ──▶ answered
 *               ├────▶ expired: ends the call
 *               ├────▶ withdrawn by the server
 *               └────▶ left open by the call's end
 * </pre>
 */
final class CallInput {
    /** Questions of one call that are open at a time. */
    static final int MOST_OPEN = 8;

    /** Questions of one call, from its beginning to its end. */
    static final int MOST = 100;

    /** Largest question. */
    static final int MAX_BYTES = 256 << 10;

    /** That a question is open, or how it ended. */
    enum Fate {
        OPEN(""),
        ANSWERED("The question was answered before"),
        EXPIRED("The question has expired: nobody had answered it in time, and its call ended"),
        WITHDRAWN("The server has withdrawn the question"),
        LEFT("The call of the question has ended");

        private final String message;

        Fate(String message) {
            this.message = message;
        }

        /** For who answers too late. */
        String message() {
            return message;
        }
    }

    /** What the call does for its questions; no method blocks. */
    interface Outlet {
        /**
         * Publishes a question.
         *
         * @param held by which the call can go on at another worker, null where it cannot
         * @return false where that is not possible now
         */
        boolean publish(
                CallInputRequired question, @Nullable Long pid, @Nullable HeldQuestion held);

        /** A question expired: the call is to end. */
        void expired();

        /** A question ended. */
        void ended(String inputId, Fate how);
    }

    /** Who asked; told once how it ended, on any thread, and must not block. */
    interface Asker {
        /** The responses, by the requests' names. */
        void answered(Map<String, RawJson> responses);

        /** There will be no responses. */
        void unanswered(Fate why);
    }

    /**
     * One request of a question.
     *
     * @param params the server's own, with its secrets
     */
    record Request(String method, RawJson params) {}

    /**
     * What a call whose server keeps nothing of it goes on from, besides the question.
     *
     * @param requestState the server's own, null where it gave none
     * @param rounds how often the server was asked
     * @param configHash fingerprint of its configuration
     */
    record Holding(@Nullable String requestState, int rounds, String configHash) {
        /** The state is a secret of the server. */
        @Override
        public String toString() {
            return "Holding[" + rounds + "]";
        }
    }

    /** Verdict on responses. */
    sealed interface Verdict {
        /** They count: {@code deliver} hands them to the server. */
        record Taken(Runnable deliver) implements Verdict {}

        /** They do not; for people. */
        record Refused(String why) implements Verdict {}
    }

    /** Asker of a question that has ended: what was asked is not kept for as long as the call. */
    private static final Asker GONE =
            new Asker() {
                @Override
                public void answered(Map<String, RawJson> responses) {}

                @Override
                public void unanswered(Fate why) {}
            };

    private static final class Question {
        private Map<String, String> methods;
        private Asker asker;
        private Fate fate = Fate.OPEN;
        private @Nullable Future<?> expiry;

        Question(Map<String, String> methods, Asker asker) {
            this.methods = methods;
            this.asker = asker;
        }
    }

    private final ToolOrder.Execute order;
    private final CallDeadline deadline;
    private final InstantSource clock;
    private final ScheduledExecutorService timers;
    private final Outlet outlet;
    private final long eachNanos;
    private final long allNanos;
    private final Map<String, Question> questions = new LinkedHashMap<>();
    private int open;
    private boolean over;

    /**
     * No question yet.
     *
     * @param allMs how long they may wait together, in milliseconds
     */
    CallInput(
            ToolOrder.Execute order,
            long allMs,
            CallDeadline deadline,
            InstantSource clock,
            ScheduledExecutorService timers,
            Outlet outlet) {
        this.order = order;
        this.deadline = deadline;
        this.clock = clock;
        this.timers = timers;
        this.outlet = outlet;
        var each = order.request().inputTimeoutMs();
        this.allNanos = Duration.ofMillis(allMs).toNanos();
        this.eachNanos =
                Duration.ofMillis(each == null ? ToolRequest.DEFAULT_INPUT_TIMEOUT_MS : each)
                        .toNanos();
    }

    /**
     * The server asks.
     *
     * @param requests by name
     * @param mask takes secrets out
     * @param pid of the process that asks, null where there is none
     * @return the question's id; null when it cannot be asked, and the asker hears nothing
     */
    @Nullable String ask(
            Map<String, Request> requests,
            UnaryOperator<String> mask,
            @Nullable Long pid,
            Asker asker) {
        return ask(requests, mask, pid, asker, null);
    }

    /**
     * The same.
     *
     * @param holding of a question that outlives its process; null where it does not
     */
    @Nullable String ask(
            Map<String, Request> requests,
            UnaryOperator<String> mask,
            @Nullable Long pid,
            Asker asker,
            @Nullable Holding holding) {
        var published = masked(requests, mask);
        var methods = new LinkedHashMap<String, String>();
        requests.forEach((name, request) -> methods.put(name, request.method()));
        synchronized (this) {
            if (over || open >= MOST_OPEN || questions.size() >= MOST) {
                return null;
            }
            long now = System.nanoTime();
            long all = allNanos - deadline.stopped(now);
            long wait = Math.min(eachNanos, all);
            if (wait <= 0) {
                outlet.expired();
                return null;
            }
            var id = UUID.randomUUID().toString();
            var asked =
                    new CallInputRequired(
                            order.request().requestId(),
                            order.request().toolPath(),
                            id,
                            published,
                            clock.instant().plusNanos(wait));
            var held =
                    holding == null ? null : held(asked, methods, holding, Duration.ofNanos(all));
            if (!outlet.publish(asked, pid, held)) {
                return null;
            }
            open(id, new Question(methods, asker), wait);
            return id;
        }
    }

    /** Under the lock. */
    private void open(String id, Question question, long waitNanos) {
        questions.put(id, question);
        open++;
        deadline.stop(System.nanoTime());
        question.expiry = expiry(id, waitNanos);
    }

    private HeldQuestion held(
            CallInputRequired asked, Map<String, String> methods, Holding holding, Duration all) {
        long now = System.nanoTime();
        return new HeldQuestion(
                asked.inputId(),
                methods,
                holding.requestState(),
                holding.rounds(),
                holding.configHash(),
                asked.expiresAt(),
                clock.instant().plus(all),
                Math.max(0, deadline.left(now, null).toMillis()),
                Math.max(0, deadline.mostLeft(now).toMillis()));
    }

    /** A question is open that was asked, and published, by another worker. */
    void reopen(HeldQuestion held, Asker asker) {
        synchronized (this) {
            long wait = Duration.between(clock.instant(), held.expiresAt()).toNanos();
            open(held.inputId(), new Question(held.methods(), asker), Math.max(0, wait));
        }
    }

    private static RawJson masked(Map<String, Request> requests, UnaryOperator<String> mask) {
        var published = new LinkedHashMap<String, Request>();
        requests.forEach(
                (name, request) ->
                        published.put(
                                name,
                                new Request(
                                        request.method(), MaskedJson.of(request.params(), mask))));
        return Json.raw(published);
    }

    private @Nullable Future<?> expiry(String id, long nanos) {
        try {
            return timers.schedule(() -> end(id, Fate.EXPIRED), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null; // The worker is stopping: the call ends with it.
        }
    }

    /** Somebody answers. */
    Verdict respond(String inputId, RawJson responses) {
        synchronized (this) {
            var question = questions.get(inputId);
            if (question == null) {
                return new Verdict.Refused("The call did not ask this question");
            }
            if (question.fate != Fate.OPEN) {
                return new Verdict.Refused(question.fate.message());
            }
            var given = JsonMembers.of(responses);
            var problem = InputResponses.problem(question.methods, given);
            if (problem != null) {
                return new Verdict.Refused(problem);
            }
            var asker = close(inputId, question, Fate.ANSWERED);
            return new Verdict.Taken(() -> asker.answered(given));
        }
    }

    /** Whether a question is open, so that the deadline stands still. */
    synchronized boolean isOpen() {
        return open > 0;
    }

    /** The server gives a question up; whether it was still open. */
    boolean withdrawn(String inputId) {
        return end(inputId, Fate.WITHDRAWN);
    }

    private boolean end(String inputId, Fate how) {
        Asker asker;
        synchronized (this) {
            var question = questions.get(inputId);
            if (question == null || question.fate != Fate.OPEN) {
                return false;
            }
            asker = close(inputId, question, how);
        }
        if (how == Fate.EXPIRED) {
            outlet.expired();
        }
        asker.unanswered(how);
        return true;
    }

    /** Under the lock; the caller notifies the asker outside of it. */
    private Asker close(String inputId, Question question, Fate how) {
        var asker = question.asker;
        question.asker = GONE;
        question.methods = Map.of();
        question.fate = how;
        var expiry = question.expiry;
        if (expiry != null) {
            expiry.cancel(false);
        }
        if (--open == 0) {
            deadline.goOn(System.nanoTime());
        }
        outlet.ended(inputId, how);
        return asker;
    }

    /** The call has its result, or is about to: nothing is asked any more. */
    void end() {
        Map<String, Question> all;
        synchronized (this) {
            over = true;
            all = Map.copyOf(questions);
        }
        all.keySet().forEach(id -> end(id, Fate.LEFT));
    }
}
