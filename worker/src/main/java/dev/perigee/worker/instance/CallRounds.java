package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.worker.instance.CallInput.Fate;
import dev.perigee.worker.tool.InputRequired;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of one call with a modern server, which answers a request by a question and is then asked
 * again with the responses. Each round is sent once, but for one that the server refused undone or
 * surely did not get. While a question is open nothing of the call is in the server's process: it
 * may end, and so may the worker. For the call's thread, but for the asker's part.
 *
 * <pre>
 *   sent ──▶ answered by a result, or an error: the call's end
 *    ▲  └──▶ answered by a question ──▶ open ──▶ responses
 *    └────────────────────────────────────────────┘
 * </pre>
 */
final class CallRounds implements CallInput.Asker {
    /** Rounds of one call. */
    static final int MOST = 50;

    /** Before a server that asks for nothing is asked again; the longer the more often it does. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    private static final int LONGEST_PAUSE = 8;

    /** Beyond all that a question may wait: its expiry interrupts the wait. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private final @Nullable CallInput input;
    private final ViewBoard board;
    private int rounds;
    private @Nullable String configHash;
    private @Nullable String requestState;
    private boolean open;
    private volatile @Nullable Map<String, RawJson> responses;

    /** Next step of a call after a wait. */
    enum Next {
        /** The next round is to be sent. */
        SEND,
        /** Another worker resumes it. */
        ELSEWHERE,
        /** This worker abandons its server, and no other worker can resume it. */
        LEFT,
        /** Its server was removed. */
        REMOVED
    }

    /**
     * A call that was not sent yet.
     *
     * @param input null where nobody may be asked
     */
    CallRounds(@Nullable CallInput input, ViewBoard board) {
        this.input = input;
        this.board = board;
    }

    /**
     * Resumes a call that asked on another worker: its question is open from now on.
     *
     * @throws InvalidRecordException when the call accepts no questions
     */
    void resume(HeldQuestion held) {
        if (input == null) {
            throw InvalidRecordException.invalid("a call that goes on must accept questions");
        }
        rounds = held.rounds();
        configHash = held.configHash();
        requestState = held.requestState();
        open = true;
        input.reopen(held, this);
    }

    /** How often the server was asked and asked back. */
    int count() {
        return rounds;
    }

    /** Whether the server was asked before, so that the call may have had effects. */
    boolean haveBegun() {
        return rounds > 0;
    }

    /** The parameters to send, of those that the call began with. */
    RawJson params(RawJson first) {
        return haveBegun() ? InputRequired.again(first, responses, requestState) : first;
    }

    /**
     * The server answered by a question, which is open from now on.
     *
     * @param run that asks
     * @param hash fingerprint of its configuration
     * @return why the call ends instead, for its author; null where it goes on
     */
    @Nullable String asked(ServerRun run, String hash, RawJson result) {
        InputRequired question;
        try {
            question = InputRequired.read(result);
        } catch (InvalidRecordException e) {
            return "The server asks in a way that does not pass: " + e.getMessage();
        }
        if (++rounds > MOST) {
            return "The server asked more often than %d times".formatted(MOST);
        }
        responses = null;
        requestState = question.requestState();
        configHash = hash;
        if (question.requests().isEmpty()) {
            return null;
        }
        if (input == null) {
            return "The server asks something, and the call accepts no questions: name input in"
                    + " accepts";
        }
        return ask(run, hash, question, input);
    }

    private @Nullable String ask(ServerRun run, String hash, InputRequired question, CallInput of) {
        try {
            var requests = requests(question.requests(), run);
            var holding = new CallInput.Holding(requestState, rounds, hash);
            var id = of.ask(requests, run::masked, run.pid(), this, holding);
            open = id != null;
            return open ? null : "The server asks something, and there is no room for its question";
        } catch (InvalidRecordException e) {
            return "The server's question does not pass: " + e.getMessage();
        }
    }

    /**
     * What a modern server asks, as a call asks it.
     *
     * @throws InvalidRecordException when it must not be published; for people
     */
    static Map<String, CallInput.Request> requests(
            Map<String, InputRequired.Asked> asked, ServerRun by) {
        var requests = new LinkedHashMap<String, CallInput.Request>();
        asked.forEach(
                (name, request) -> {
                    if (!by.masked(name).equals(name)) {
                        throw InvalidRecordException.invalid(
                                "a name in it has a secret of the configuration");
                    }
                    requests.put(name, new CallInput.Request(request.method(), request.params()));
                });
        return requests;
    }

    /**
     * Waits while a question is open, or for a moment where the server only wants to be asked
     * again; returns at once when there is nothing to wait for.
     *
     * @param handsOver whether another worker can go on with the call; asked when this one has
     *     given the instance up
     */
    Next await(BooleanSupplier handsOver) throws InterruptedException {
        if (!open) {
            if (haveBegun() && responses == null) {
                // Nobody tells when the server has more to say.
                Thread.sleep(PAUSE.multipliedBy(Math.min(rounds, LONGEST_PAUSE)));
            }
            return Next.SEND;
        }
        boolean _ = board.await(view -> responses != null || isOver(view), LONGEST);
        if (responses != null) {
            open = false;
            return Next.SEND;
        }
        var view = board.current();
        if (view != null && view.presence() == View.Presence.REMOVED) {
            return Next.REMOVED;
        }
        return handsOver.getAsBoolean() ? Next.ELSEWHERE : Next.LEFT;
    }

    private static boolean isOver(@Nullable View view) {
        return view != null && view.presence() != View.Presence.HERE;
    }

    /** Whether the next round may go to a server of this configuration. */
    boolean mayGoTo(String hash) {
        return !haveBegun() || hash.equals(configHash);
    }

    /**
     * Whether the call waits for this to be over, rather than end: a server whose worker died is in
     * quarantine for a moment, and a round is not asked for again by anybody else.
     */
    boolean awaitsEndOf(ToolError refusal) {
        return haveBegun() && refusal.code() == ErrorCode.QUARANTINED && refusal.retryable();
    }

    /** The error for the call's author, where {@code error} would be right for a first round. */
    ToolError explain(ToolError error) {
        if (!haveBegun()) {
            return error;
        }
        return switch (error.code()) {
            case CANCELLED, INPUT_TIMEOUT, TIMEOUT, CRASHED, SERVER_ERROR, TOO_LARGE -> error;
            case INVALID_REQUEST,
                    FORBIDDEN,
                    UNKNOWN_SERVER,
                    UNKNOWN_TOOL,
                    TOOL_DISABLED,
                    REQUIRES_REAUTH,
                    PERMANENTLY_FAILED,
                    STOPPED,
                    UNAVAILABLE,
                    SERVER_UNREACHABLE,
                    EXPIRED,
                    OVERLOADED,
                    WORKER_LOST,
                    OUTCOME_UNKNOWN,
                    EGRESS_REFUSED,
                    QUARANTINED ->
                    new ToolError(
                            ErrorCode.OUTCOME_UNKNOWN,
                            "The call had begun, asked something, and could not go on: "
                                    + error.message(),
                            false,
                            error.serverStatus(),
                            error.serverCode(),
                            error.data());
        };
    }

    @Override
    public void answered(Map<String, RawJson> given) {
        responses = given;
        board.wake();
    }

    /** Nothing to do: the end of the call wakes its thread. */
    @Override
    public void unanswered(Fate why) {}
}
