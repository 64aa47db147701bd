package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.instance.CallInput.Fate;
import dev.perigee.worker.instance.CallInput.Request;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerQuestion;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions of one legacy server, on their way to a call that accepts them. A question that names a
 * task is of the call that became that, or of none. Others name none: one is taken for one of the
 * call that was sent last. Safe for use by any thread; replies go out on threads of their own, at
 * most as many as a call may have questions, all else does not block.
 */
final class CallQuestions {
    private static final Logger log = LoggerFactory.getLogger(CallQuestions.class);

    /** Name of a question's one request. */
    static final String NAME = "question";

    private static final String META = "_meta";
    private static final String TASK = "io.modelcontextprotocol/related-task";

    private static final ServerQuestion.Refusal NO_ROOM =
            new ServerQuestion.Refusal(-32603, "Too many questions, or no room for one more");
    private static final ServerQuestion.Refusal TOO_LARGE =
            new ServerQuestion.Refusal(-32602, "The question is larger than 256 KiB");
    private static final ServerQuestion.Refusal NO_ANSWER =
            new ServerQuestion.Refusal(-32603, "Nobody answered, and the call has ended");

    private final ConcurrentLinkedDeque<CallInput> accepting = new ConcurrentLinkedDeque<>();
    private final ConcurrentHashMap<String, Asks> byTask = new ConcurrentHashMap<>();
    private final Set<Asked> open = ConcurrentHashMap.newKeySet();

    /** A call's task, and where the call is asked: null where it accepts no questions. */
    static final class Asks {
        private final String taskId;
        private final @Nullable CallInput input;

        private Asks(String taskId, @Nullable CallInput input) {
            this.taskId = taskId;
            this.input = input;
        }
    }

    /** What the questions are asked through. */
    interface Source {
        @Nullable McpClient client();

        @Nullable Long pid();

        /** Takes secrets out. */
        UnaryOperator<String> mask();
    }

    private final Source source;

    CallQuestions(Source source) {
        this.source = source;
    }

    /** A call that accepts questions is about to be sent; {@link #remove} it in the end. */
    void add(CallInput call) {
        accepting.add(call);
    }

    void remove(CallInput call) {
        accepting.remove(call);
    }

    /**
     * The server made a task of a call; {@link #forget} it in the end.
     *
     * @param call null where it accepts no questions
     */
    Asks remember(String taskId, @Nullable CallInput call) {
        var asks = new Asks(taskId, call);
        byTask.put(taskId, asks);
        return asks;
    }

    /** Another task of the same name, which only a server at fault has, is left. */
    void forget(Asks asks) {
        byTask.remove(asks.taskId, asks);
    }

    private @Nullable CallInput callOf(ServerQuestion question) {
        if (accepting.isEmpty() && byTask.isEmpty()) {
            return null;
        }
        var params = question.params();
        var task = params == null || params.size() > CallInput.MAX_BYTES ? "" : taskIn(params);
        if (task.isEmpty()) {
            return accepting.peekLast();
        }
        var named = byTask.get(task);
        return named == null ? null : named.input;
    }

    private static String taskIn(RawJson params) {
        try {
            return Json.tree(params.bytes()).path(META).path(TASK).path("taskId").asString("");
        } catch (InvalidRecordException e) {
            return ""; // Nested deeper than is read.
        }
    }

    /** The server asks; why nobody takes it, null where a call does. */
    ServerQuestion.@Nullable Refusal asked(ServerQuestion question) {
        var call = callOf(question);
        if (call == null) {
            return ServerQuestion.Refusal.NOT_FOUND;
        }
        if (question.size() > CallInput.MAX_BYTES) {
            return TOO_LARGE;
        }
        var params = question.params();
        var asked = new Asked(question, call);
        open.add(asked);
        asked.inputId =
                call.ask(
                        Map.of(
                                NAME,
                                new Request(
                                        question.method(),
                                        params == null ? RawJson.EMPTY_OBJECT : params)),
                        source.mask(),
                        source.pid(),
                        asked);
        if (asked.inputId == null) {
            open.remove(asked);
            return NO_ROOM;
        }
        return null;
    }

    /** The server gives a question up. */
    void withdrawn(RawJson id) {
        for (var asked : open) {
            var inputId = asked.inputId;
            if (inputId != null && asked.question.id().equals(id)) {
                asked.call.withdrawn(inputId);
            }
        }
    }

    /** A question that a call has taken. */
    private final class Asked implements CallInput.Asker {
        private final ServerQuestion question;
        private final CallInput call;
        private volatile @Nullable String inputId;

        Asked(ServerQuestion question, CallInput call) {
            this.question = question;
            this.call = call;
        }

        @Override
        public void answered(Map<String, RawJson> responses) {
            open.remove(this);
            var response = responses.get(NAME);
            if (response != null) {
                reply(client -> client.reply(question, response));
            }
        }

        @Override
        public void unanswered(Fate why) {
            open.remove(this);
            if (why != Fate.WITHDRAWN) {
                reply(client -> client.refuse(question, NO_ANSWER));
            }
        }
    }

    private interface Reply {
        void through(McpClient client) throws McpException;
    }

    private void reply(Reply reply) {
        var client = source.client();
        if (client == null) {
            return;
        }
        Thread.ofVirtual()
                .name("reply")
                .start(
                        () -> {
                            try {
                                reply.through(client);
                            } catch (McpException e) {
                                log.atDebug()
                                        .addKeyValue("kind", e.kind())
                                        .log("Server does not take the answer to its question");
                            }
                        });
    }
}
