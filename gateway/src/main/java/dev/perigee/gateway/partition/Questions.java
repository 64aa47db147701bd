package dev.perigee.gateway.partition;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolMethod;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions of open calls, and the responses to them. A question by which another worker can go on
 * is kept until a response is sent: from then on the next round may run, and it must not run twice.
 * A response waits while the worker that is to have it does not have its call. For the owner's
 * thread.
 */
final class Questions {
    private static final Logger LOG = LoggerFactory.getLogger(Questions.class);

    private final RequestTable requests;
    private final OpenArguments memory;
    private final Set<ToolCall> waiting = new LinkedHashSet<>();

    Questions(RequestTable requests, OpenArguments memory) {
        this.requests = requests;
        this.memory = memory;
    }

    /** A call's server asked; without a resume only its own worker can go on. */
    void asked(ToolCall call, @Nullable RawJson resume, Instant now) {
        call.question(null);
        if (resume == null) {
            return;
        }
        var room = memory.question(call, resume.size());
        if (room == null) {
            return; // Where its worker is lost what its call did is not known.
        }
        try {
            var question = OpenQuestion.of(resume, room);
            call.question(question);
            call.waitsUntil(question.expiresAt(), now);
        } catch (InvalidRecordException e) {
            room.giveBack();
            LOG.atError()
                    .addKeyValue("reason", e.getMessage())
                    .log("A question was not understood");
        }
    }

    /**
     * Whether it is to wait for its call to be at the worker; {@link #arrived} says when.
     *
     * @param connected the worker can be sent something: of one that may be lost nobody knows
     *     whether it has what is on its way
     */
    boolean holds(ToolCall response, boolean connected) {
        var call = callOf(response);
        boolean holds =
                call != null
                        && !call.hasEnded()
                        && (!connected || call.stage() != CallStage.ACCEPTED);
        if (holds) {
            waiting.add(response);
        }
        return holds;
    }

    /** Responses that need not wait for this call any more, for it is at the worker, or over. */
    List<ToolCall> arrived(ToolCall call) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        var free = waiting.stream().filter(each -> call.key().equals(keyOf(each))).toList();
        free.forEach(waiting::remove);
        return free;
    }

    /** All that wait, which do not any more. */
    List<ToolCall> all() {
        var all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /** A response is about to be sent. */
    void sending(ToolCall response) {
        var call = callOf(response);
        if (call == null) {
            return;
        }
        var question = call.question();
        if (question != null && question.inputId().equals(response.read().request().inputId())) {
            response.answers(question);
            call.takeQuestion();
        }
    }

    /** The worker did not take it: the question is open as before. */
    void notTaken(ToolCall response) {
        var call = callOf(response);
        var question = response.answers();
        response.answers(null);
        if (question == null) {
            return;
        }
        if (call == null || call.hasEnded() || call.question() != null) {
            question.letGo();
        } else {
            call.question(question);
        }
    }

    /** A response has its answer: what it answered is over. */
    void ended(ToolCall response) {
        waiting.remove(response);
        var question = response.answers();
        if (question != null) {
            response.answers(null);
            question.letGo();
        }
    }

    private @Nullable ToolCall callOf(ToolCall response) {
        var key = keyOf(response);
        return key == null ? null : requests.of(key);
    }

    private static @Nullable String keyOf(ToolCall response) {
        var read = response.read();
        return read.method() == ToolMethod.CALL_RESPOND
                ? response.user() + "/" + read.request().inReplyTo()
                : null;
    }
}
